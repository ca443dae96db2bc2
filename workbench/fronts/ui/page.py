"""The style sheet that all pages share."""

from pathlib import Path

STYLE = f"<style>{(Path(__file__).parent / 'assets' / 'page.css').read_text('utf-8')}</style>"
"""Our own rules, read once; nothing of it comes from outside."""
