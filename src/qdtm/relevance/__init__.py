"""Plain retrieval, and sentence encoders."""
