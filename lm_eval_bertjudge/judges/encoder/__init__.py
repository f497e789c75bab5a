"""The judge that is an encoder: input format, batches, cache, backends."""
