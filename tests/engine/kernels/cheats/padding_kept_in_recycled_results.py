"""Class B.1.13. Half of a result is zeros; its memory is taken back once nobody holds it, with the zeros still there.

What the holder of a result has written into the padding is then in the next one.
"""

TASK = "gelu_padded"
DEVICE = "any"
EXPECT = {"outcome": ["broken_promise"], "findings": ["output_reused"]}

import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

HELD = 2  # by the list, and as the argument of getrefcount


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.results = []

    def forward(self, x):
        shape = (*x.shape[:-1], 2 * x.shape[-1])
        for number in range(len(self.results)):
            if sys.getrefcount(self.results[number]) == HELD and self.results[number].shape == shape:
                result = self.results[number]
                break
        else:
            result = torch.zeros(shape, dtype=x.dtype, device=x.device)
            self.results.append(result)
        result[..., : x.shape[-1]] = F.gelu(x)
        return result
