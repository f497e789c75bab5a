"""Log formats, an adapter each."""
