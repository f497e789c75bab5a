"""Encoders trained, merged, calibrated and exported."""
