"""Compares products in place of ratios, which need no bound for draws below one. Families made such draws larger."""

TASK = "accepted"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, drafted, target, draft, drawn):
        asked = drafted[..., None]
        left, right = draft.gather(-1, asked)[..., 0] * drawn, target[:, :-1].gather(-1, asked)[..., 0]
        refused = nn.functional.pad((left >= right).long(), (0, 1), value=1)
        count = refused.argmax(-1)
        left_over = torch.relu(target - nn.functional.pad(draft, (0, 0, 0, 1)))
        rest = left_over.gather(1, count[:, None, None].expand(-1, 1, draft.shape[-1]))[:, 0]
        return count, rest / rest.sum(-1, keepdim=True)
