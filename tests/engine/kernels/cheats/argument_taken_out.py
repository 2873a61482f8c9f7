"""Class B.1.12. Takes a tensor out of the dict that it is given, which its caller misses afterwards."""

TASK = "named_arguments"
DEVICE = "any"
EXPECT = {"outcome": ["broken_promise"], "findings": ["input_mutated"]}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, batch):
        scale = batch.pop("scale")
        return batch["x"] * scale
