"""How records are shown in every interface: text, tables, charts, reports, verdict styles."""
