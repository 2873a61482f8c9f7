"""Features, of length one across channels, compared with one another, and with a penalty for those that are close."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, left, right, distances):
        alike = nn.functional.cosine_similarity(left[:, None], right[None], dim=2)
        return alike, (alike.mean((2, 3)) * distances).sum()


def get_inputs():
    left, right = (nn.functional.normalize(torch.randn(12, 8, 4, 4), dim=1) for _ in range(2))
    places = torch.randn(12, 3)
    return [left, right, (places[:, None] - places).norm(dim=-1)]


def get_init_inputs():
    return []
