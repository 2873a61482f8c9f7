"""What judge and runner both use: shared buffers, argument trees, and the way one call is made and timed."""
