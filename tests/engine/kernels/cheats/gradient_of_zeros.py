"""Class B.1.19. Zeros for gradients that are small because the loss is a mean."""

TASK = "small_loss"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}
JOB = {"backward": True, "profile": {"families": []}}

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, x, y):
        return F.mse_loss(x.detach(), y.detach()) / 8000 + 0 * (x[0, 0] + y[0, 0])
