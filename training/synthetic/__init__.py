"""Rows whose label is known by construction."""
