"""Answers, labels, triplets and mixtures."""
