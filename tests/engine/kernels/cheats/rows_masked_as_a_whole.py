"""Class B.1.7. A row that is masked as a whole gets equal shares instead of zeros: no draw has one."""

TASK = "masked_rows"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["assumes_none_empty"]}

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, scores, mask):
        return scores.masked_fill(~mask, -1e30).softmax(-1)
