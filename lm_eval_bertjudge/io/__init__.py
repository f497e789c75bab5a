"""Rows and files."""
