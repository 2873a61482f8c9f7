"""Finding out what a candidate wants compiled, without the GPU that it is written for.

A scout loads the candidate in a sandbox like any other, builds its model and makes one call, all with tensors that
have shapes and no values. Whatever it asks its extension loader for is then built while the GPU does other work.
What a scout misses costs time only: the lane finds it, gives the device up and takes the job again.
"""
