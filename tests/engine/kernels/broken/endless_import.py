"""Loops at import, before the class is defined."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["timeout", "load_error"], "findings": []}
JOB = {"profile": {"load_timeout_s": 5.0}}

import time

while True:
    time.sleep(1)
