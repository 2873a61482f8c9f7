"""Points moved by poses, a place and a unit quaternion in each row, and then back by rigid maps."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, poses, maps, points):
        place, real, axis = poses.split([3, 1, 3], -1)
        across = 2 * torch.linalg.cross(axis, points)
        moved = points + real * across + torch.linalg.cross(axis, across) + place
        return (torch.inverse(maps) @ nn.functional.pad(moved, (0, 1), value=1)[..., None])[:, :3, 0]


def get_inputs():
    maps = torch.eye(4).repeat(64, 1, 1)
    maps[:, :3, :3], maps[:, :3, 3] = torch.linalg.qr(torch.randn(64, 3, 3))[0], torch.randn(64, 3)
    quaternions = nn.functional.normalize(torch.randn(64, 4), dim=-1)
    return [torch.cat([torch.randn(64, 3), quaternions], -1), maps, torch.randn(64, 3)]


def get_init_inputs():
    return []
