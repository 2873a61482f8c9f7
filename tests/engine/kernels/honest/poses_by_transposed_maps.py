"""Relies on unit quaternions, orthogonal maps and their last rows, as parts of inputs. Families changed these as the rest."""

TASK = "poses"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": []}

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, poses, maps, points):
        place, real, axis = poses.split([3, 1, 3], -1)
        along = (axis * points).sum(-1, keepdim=True)
        turned = (
            (2 * real * real - 1) * points + 2 * along * axis + 2 * real * torch.linalg.cross(axis, points)
        )
        moved = turned + place - maps[:, :3, 3]
        return (maps[:, :3, :3].transpose(1, 2) @ moved[..., None])[..., 0]
