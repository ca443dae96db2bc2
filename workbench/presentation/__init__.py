"""How a record is shown, whoever shows it: text, tables, charts, reports, verdict styles."""
