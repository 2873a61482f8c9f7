"""Code that judge and runner both run: shared buffers, argument trees, and the way calls are made and timed.

`calls.Caller` makes and times one call, `order` many at once, which a `gate.Gate` holds back on a GPU; `arena.Arena` is
the shared memory, `trees` converts arguments and results. Imports torch and nothing else of the engine.
"""
