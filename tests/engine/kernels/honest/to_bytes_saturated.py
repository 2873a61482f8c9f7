"""Saturates where the reference converts numbers that no byte holds, of which torch promises nothing. On scaled-up
values that was called wrong.
"""

TASK = "to_bytes"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        signed = (x * 127).trunc().clamp(-128, 127) / 127
        return (x * 255).clamp(0, 255).to(torch.uint8), signed
