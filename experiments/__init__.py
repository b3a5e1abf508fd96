"""The experiments beside the library: data sets, metrics, baselines, and every bench of the documentation.

`python -m experiments` lists what can be measured. The library never imports from here.
"""
