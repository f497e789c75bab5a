"""Judging answers that are already on disk: sample files of lm_eval and plain triplet files."""
