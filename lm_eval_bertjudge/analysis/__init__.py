"""Agreement with labels and corrected accuracies."""
