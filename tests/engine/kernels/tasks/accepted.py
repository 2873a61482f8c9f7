"""Speculative sampling: how many drafted tokens are accepted, and what the next one is drawn from."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, drafted, target, draft, drawn):
        asked = drafted[..., None]
        ratio = target[:, :-1].gather(-1, asked) / draft.gather(-1, asked)
        count = (drawn < ratio.squeeze(-1).clamp(max=1)).long().cumprod(-1).sum(-1)
        rows = torch.arange(len(count), device=count.device)
        rest = (target[rows, count] - nn.functional.pad(draft, (0, 0, 0, 1))[rows, count]).clamp(min=0)
        return count, rest / rest.sum(-1, keepdim=True)


def get_inputs():
    target, draft = (torch.randn(32, tokens, 24).softmax(-1) for tokens in (5, 4))
    return [torch.randint(0, 24, (32, 4)), target, draft, torch.rand(32, 4)]


def get_init_inputs():
    return []
