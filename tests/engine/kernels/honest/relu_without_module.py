"""No module at all."""

TASK = "relu"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

class ModelNew:
    __slots__ = ("limit",)
    def __init__(self):
        self.limit = 0
    def __call__(self, x):
        return x.clamp(min=self.limit)
