"""The models that the query-driven one is compared with: a corpus in, a `TopicFit` or scores out."""
