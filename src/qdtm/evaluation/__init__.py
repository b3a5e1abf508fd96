"""The paper's experiments: data sets, metrics and tables. It imports everything and nobody imports it."""
