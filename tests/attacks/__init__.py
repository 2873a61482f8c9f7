"""Attacks on the site by somebody who has its source: each test makes its cases from the site's own addresses, models
or expressions, so that a new one is attacked without another line here.

docs/site-threat-model.md says what each wall stops, and names the test that fails without it.
"""
