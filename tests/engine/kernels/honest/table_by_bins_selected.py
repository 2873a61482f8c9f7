"""Takes rows by index_select. On a GPU its reference was called invalid, because a family's values ended the judge's
context.
"""

TASK = "table_by_bins"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, table):
        bins = torch.floor(x * table.shape[0]).to(torch.int32)
        return torch.index_select(table, 0, bins.flatten()).view(x.shape)
