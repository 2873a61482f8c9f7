"""Relies on orthogonal and positive definite matrices, and on directions of length one that no draw varies. Families of
values made the first ones any matrices, and each draw scaled the last ones.
"""

TASK = "frames"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}
JOB = {"profile": {"families": ["uniform", "scaled_up", "one_hot", "mixed", "spikes"]}}

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def forward(self, points, frames, systems, x, directions):
        solved = torch.cholesky_solve(points, torch.linalg.cholesky(systems))
        return frames.transpose(1, 2) @ points, solved, F.normalize(x, dim=-1) @ directions.T
