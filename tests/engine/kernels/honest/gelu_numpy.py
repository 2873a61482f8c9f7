"""NumPy and the standard library do the work."""

TASK = "gelu"
DEVICE = "cpu"
EXPECT = {"outcome": ["passed"], "findings": []}

import math

import numpy as np
import torch
import torch.nn as nn

erf = np.vectorize(math.erf, otypes=[np.float64])


class ModelNew(nn.Module):
    def forward(self, x):
        values = x.numpy().astype(np.float64)
        return torch.from_numpy((0.5 * values * (1 + erf(values / math.sqrt(2)))).astype(np.float32))
