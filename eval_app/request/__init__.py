"""Requests for verifications: from a page, the API, a bulk action or a command.

`verify.request_verification` creates the rows of a batch, `verify.cancel` ends those that wait, `verify.retry` asks
again; `local_run` verifies in a command's own process. Imports the queue, which sends the rows; never a page.
"""
