"""The triples, and what people decide about them."""
