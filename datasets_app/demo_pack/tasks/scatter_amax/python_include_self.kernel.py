import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, cells: int):
        super().__init__()
        self.cells = cells

    def forward(self, points: torch.Tensor, cell: torch.Tensor) -> torch.Tensor:
        out = torch.empty(self.cells, points.shape[1], dtype=points.dtype, device=points.device)
        index = cell.unsqueeze(1).expand_as(points)
        return out.scatter_reduce_(0, index, points, reduce="amax", include_self=False)
