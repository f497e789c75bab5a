"""Judges measured."""
