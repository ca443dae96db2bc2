"""How do labels come in and go out? Importers and exporters."""
