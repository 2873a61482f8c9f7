"""The verify stage's pages: `verify` for verifications and their evidence, `hosts` for the hosts that may verify.

A view checks the permission, calls one function of another room, and responds. Nothing imports a view but the URLs.
"""
