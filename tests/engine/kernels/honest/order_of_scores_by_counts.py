"""Places by counting what comes before: exact among equal scores, too."""

TASK = "order_of_scores"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, table, scores):
        places = torch.arange(scores.shape[-1], device=scores.device)
        one, other = scores[:, :, None], scores[:, None, :]
        is_before = (other < one) | ((other == one) & (places < places[:, None]))
        ranks = is_before.sum(-1)
        order = torch.zeros_like(ranks).scatter_(1, ranks, places.expand_as(ranks))
        return (table[:, None, :] < one).sum(-1), order
