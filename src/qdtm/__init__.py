"""Query-driven topic modelling."""
