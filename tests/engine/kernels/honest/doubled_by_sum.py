"""Is asked for gradients by a task whose own backward pass fails: that ended the judge."""

TASK = "backward_unwritten"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"backward": True}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x + x
