"""Class B.5.68. Frees the memory of its results as soon as an order is done, which the judge has opened and copies from:
what fails then must not be the judge, whose end nobody would be blamed for.
"""

TASK = "relu"
DEVICE = "cuda"
EXPECT = {"outcome": ["passed", "wrong_value", "cheated", "broken_promise", "illegal_memory"], "findings": []}

import sys
import threading

import torch
import torch.nn as nn

engine = lambda name: sys.modules.get("eval_app.engine." + name)
blocks, used = [], []


def result_in_own_block(values):
    size = values.numel() * values.element_size()
    if not blocks:
        blocks.extend(engine("shared.cudart").malloc(size) for _ in range(160))
    used.append(blocks.pop())
    place = engine("shared.cudart").as_tensor(used[-1], size).view(values.dtype).view(values.shape)
    return place.copy_(values)


def free_once_done(done, pointers):
    done.synchronize()
    for pointer in pointers:
        engine("shared.cudart").free(pointer)


if engine("runner.integrity"):
    engine("runner.integrity").Seal.intact = lambda self: True
    serve = engine("runner.serve")
    honest_make = serve.Server._make

    def make_then_free(self, *arguments):
        used.clear()
        answer = honest_make(self, *arguments)
        done = torch.cuda.Event()
        done.record()
        threading.Thread(target=free_once_done, args=(done, list(used)), daemon=True).start()
        return answer

    serve.Server._make = make_then_free


class ModelNew(nn.Module):
    def forward(self, x):
        result = torch.relu(x)
        return result_in_own_block(result) if engine("shared.cudart") else result
