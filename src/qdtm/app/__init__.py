"""`qdtm app`: the whole job by hand and eye, in a browser. It shows and starts; no modelling inside."""
