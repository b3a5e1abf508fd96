"""One module a measurement or two: what time, memory and size come to, and how far results can be trusted."""
