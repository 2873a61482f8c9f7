"""The power as a product with the conjugate; its gradients come from autograd."""

TASK = "complex_power"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"backward": True}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, z):
        return x * (z * z.conj()).real.sum(-1)
