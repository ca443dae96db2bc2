"""What judges are measured on: examples, splits, predictions, thresholds."""
