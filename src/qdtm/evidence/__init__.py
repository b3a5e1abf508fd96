"""Evidence: how likely each document is to be about a query, before any topic is fitted."""
