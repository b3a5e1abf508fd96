"""What is asked and of which texts: the corpora of the experiments, their labels and their queries."""
