import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, labels):
        counts = torch.zeros(16, device=x.device).index_add_(0, labels, torch.ones_like(x[:, 0]))
        sums = torch.zeros(16, x.shape[1], device=x.device).index_add_(0, labels, x)
        return sums / counts.clamp(min=1)[:, None]


def get_inputs():
    return [torch.randn(1024, 32), torch.randint(0, 16, (1024,))]


def get_init_inputs():
    return []
