"""Class B.3.42. Ends the process with status 0 before there is anything to check."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["load_error", "runtime_error", "cheated"], "findings": []}

import sys

print("passed")
sys.exit(0)
