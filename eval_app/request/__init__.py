"""Requests for verifications: from a page, the API, a bulk action or a command.

`verify.request` creates the rows of a batch and `verify.cancel` ends them; `verify.job_for` turns a sample into the
engine's job. With `results/` the only package that imports the engine's public names.
"""
