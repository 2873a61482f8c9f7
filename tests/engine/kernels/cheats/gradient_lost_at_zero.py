"""Class B.1.19. The root of a sum of squares has no gradient at zero, where that of a norm is zero: a row of padding
makes all weights before it NaN.
"""

TASK = "rows_of_length_one"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["gradients_not_finite"]}
JOB = {"backward": True}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        length = x.square().sum(-1, keepdim=True).sqrt()
        return x / length.clamp_min(1e-12)
