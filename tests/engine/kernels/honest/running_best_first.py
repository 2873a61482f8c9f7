"""Guilty-looking: keeps the first of equal values, of which some are beside each other where a family sorts them, and
gives its place twice, where the reference gives none twice.
"""

TASK = "running_best"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        best, place = x[:, 0], torch.zeros(x.shape[0], dtype=torch.int64, device=x.device)
        values, places = [best], [place]
        for column in range(1, x.shape[1]):
            is_better = x[:, column] > best
            best = torch.where(is_better, x[:, column], best)
            place = torch.where(is_better, column, place)
            values.append(best)
            places.append(place)
        return torch.stack(values, 1), torch.stack(places, 1)
