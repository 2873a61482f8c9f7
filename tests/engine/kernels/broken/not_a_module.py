"""A class that cannot be called."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["load_error", "runtime_error", "wrong_structure"], "findings": []}

class ModelNew:
    pass
