"""A new cache, where the reference writes into the old one."""

TASK = "cache_update"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, cache, rows, positions):
        result = cache.clone()
        result[positions] = rows
        return result
