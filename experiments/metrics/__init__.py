"""What answers are worth: arrays, words and labels in, figures out."""
