"""Gradients: the reference's, the candidate's, and how they are compared.

`backward.BackwardTrials` makes all backward passes of a job.
"""
