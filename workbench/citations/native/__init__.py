"""What does the JSON say that a provider returned? Its text with the provider's own offsets."""
