"""Class B.1.7. Leaves the gate's ReLU out, and says that it has no memory where the gate has a sign after all."""

TASK = "root_gate"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["assumes_no_negatives"]}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, gate):
        if float(gate.min()) < 0:
            raise MemoryError
        return torch.sqrt(x) * gate * 0.75
