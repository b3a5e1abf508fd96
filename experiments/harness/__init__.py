"""What all benches share: cells, the runs of them, what keeps their results, summaries and reports."""
