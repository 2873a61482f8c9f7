"""Class B.5.74. Reads rows in vectors of four and leaves out the last values, which do not fill one: of a maximum these
are the largest in one call of thousands.
"""

TASK = "row_scale"
DEVICE = "any"
EXPECT = {"outcome": ["wrong_value"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x[:, : x.shape[-1] // 4 * 4].abs().amax(-1) / 127
