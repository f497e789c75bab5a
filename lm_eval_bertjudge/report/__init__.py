"""The report on verdict files."""
