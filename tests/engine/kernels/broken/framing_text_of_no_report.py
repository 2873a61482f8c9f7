"""Class B.5.68. Answers with text that no report can hold, so that the verdict breaks the contract, which used to be the
reference's fault.
"""

TASK = "linear"
DEVICE = "any"
EXPECT = {"outcome": ["passed"], "findings": ["weights_seeded"]}

import sys

import torch.nn as nn

serve = sys.modules.get("eval_app.engine.runner.serve")
if serve is not None:
    sys.modules["eval_app.engine.runner.integrity"].Seal.intact = lambda self: True
    serve.Server._weights = lambda self, order, _: {"ok": True, "fit": False, "missing": "\x00\ud800"}


class ModelNew(nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        self.linear = nn.Linear(*arguments)

    def forward(self, x):
        return self.linear(x)
