"""What verdicts say: agreement with labels, corrected accuracies, and the report."""
