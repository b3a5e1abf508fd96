"""How likely each document is to be about a query, before any topic is fitted and with what topics add."""
