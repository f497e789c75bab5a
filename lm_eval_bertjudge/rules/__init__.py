"""What can be decided without a judge."""
