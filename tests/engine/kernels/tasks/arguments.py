"""Arguments of many kinds: a dict, a list, a flag, a number, a name, a dtype and nothing."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, named, several, negate, power, mode, dtype, bias):
        x = named["scale"] * sum(several) ** power
        x = torch.relu(x) if mode == "relu" else torch.tanh(x)
        x = x if bias is None else x + bias
        return {"value": (-x if negate else x).to(dtype), "mean": float(x.double().mean()), "rows": len(x)}


def get_inputs():
    several = [torch.randn(64, 256) for _ in range(3)]
    return [{"scale": torch.rand(256) + 0.5}, several, True, 2, "relu", torch.float16, None]


def get_init_inputs():
    return []
