"""Class B.1.12. Transposes a tensor that it is given in place: its bytes stay, and its caller finds another shape."""

TASK = "named_arguments"
DEVICE = "any"
EXPECT = {"outcome": ["broken_promise"], "findings": ["input_mutated"]}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, batch):
        return (batch["x"].t_() * batch["scale"][:, None]).t()
