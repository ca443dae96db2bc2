"""A calibration as text, HTML, Markdown and SVG."""
