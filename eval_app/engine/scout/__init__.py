"""Scouting: find out which extensions a candidate needs, without the GPU that it is written for.

A scout loads the candidate in the usual sandbox, builds its model and makes one call, all with tensors that
have shapes and no values. Extensions that it requests are built while the GPU does other work. Whatever a
scout misses costs only time: the lane finds it, releases the device and repeats the job.
"""
