"""The Gibbs sampler: parent topics (phase 1), then subtopics (phase 2)."""
