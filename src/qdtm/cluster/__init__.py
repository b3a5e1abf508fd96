"""The sampler's shards on the machines of a Ray cluster (extra `ray`)."""
