"""The frozen outcome of a fit, and everything that can be read off it."""
