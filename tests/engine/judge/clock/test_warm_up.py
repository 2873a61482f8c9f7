"""Tests that the zygote has loaded what a job's judge needs of torch: each job would load it again, for seconds.

No collection of garbage looks at what it has loaded, while it loads or later; what a job makes is collected.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

REFERENCE = """
import torch
import torch.nn.functional as F
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)
        self.attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    def forward(self, x):
        y = F.layer_norm(F.gelu(self.linear(x)) + x, (8,))
        y = self.attention(y, y, y)[0].softmax(-1).cumsum(-1)
        return torch.where(y > 0.5, y, -y).topk(2)[0].mean()
def get_inputs():
    return [torch.rand(2, 4, 8)]
def get_init_inputs():
    return []
"""
PROGRAM = """
import gc
import sys
from pathlib import Path
import torch
from eval_app.engine.judge.clock import roofline
from eval_app.engine.judge.admission import Admission
from eval_app.engine.judge.task.cases import CaseMaker
from eval_app.engine.judge.comparison.compare import Tolerance
from eval_app.engine.judge.task.reference import Reference
from eval_app.engine.sandbox import zygote

rounds = []
gc.callbacks.append(lambda phase, info: rounds.append(phase))
zygote.warm_up("judge", "cpu")
assert len(rounds) == 2, "only the one that it asks for, once all is loaded"
assert gc.isenabled() and gc.get_freeze_count() > 100_000
loaded = set(sys.modules)
with torch.no_grad():
    reference = Reference(sys.argv[1], Path(sys.argv[2]), torch.device("cpu"), 1, own_values=False)
    maker = CaseMaker(reference)
    maker.rehearse()
    case = maker.make()
    Admission(maker, Tolerance(1e-4, 1e-2, 1e-7)).examine(case)
    roofline.count(reference, case)
print(sorted(set(sys.modules) - loaded - {"reference"}))
"""


def test_an_examination_loads_nothing_that_the_zygote_has_not(tmp_path):
    command = [sys.executable, "-c", PROGRAM, REFERENCE, str(tmp_path)]
    paths = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=paths)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
