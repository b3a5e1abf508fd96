"""The pages of the app, one a module: corpus, query, fit, explore, compare."""
