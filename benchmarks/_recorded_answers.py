"""Small tasks, and a recorded model's answers to them: right, wrong, without a program, failing at a call.

A recorded judge advises before further turns. What failed at a call becomes wrong in the next turn, and everything else
right, so that three turns end it.
"""

from __future__ import annotations

from typing import Any

FIRST_SEEDS = 4  # the seeds of a first turn with four candidates a task
# What each task computes, the same in other words, and something else.
FORWARDS = [
    ("torch.relu(x) + 1", "torch.clamp(x, min=0) + 1", "torch.relu(x + 1)"),
    ("x.sum(-1)", "torch.sum(x, dim=-1)", "x.mean(-1)"),
    ("torch.softmax(x, -1)", "torch.exp(torch.log_softmax(x, -1))", "torch.softmax(x, 0)"),
    ("torch.sigmoid(x)", "1 / (1 + torch.exp(-x))", "torch.tanh(x)"),
    ("x * x + x", "x * (x + 1)", "x * x"),
    ("torch.tanh(x)", "2 * torch.sigmoid(2 * x) - 1", "torch.sigmoid(x)"),
    ("x.abs().max(-1).values", "torch.amax(x.abs(), -1)", "torch.amax(x, -1)"),
    ("x / (x.abs().mean(-1, keepdim=True) + 1)", "x / (1 + torch.mean(torch.abs(x), -1, True))", "x / 2"),
    ("nn.functional.leaky_relu(x, 0.1)", "torch.where(x > 0, x, 0.1 * x)", "torch.relu(x)"),
    ("x.cumsum(-1)", "torch.cumsum(x, dim=-1)", "x.cumsum(0)"),
]
PROGRAM = """import torch
import torch.nn as nn


class {name}(nn.Module):
    def forward(self, x):
        return {forward}
"""
INPUTS = """

def get_inputs():
    return [torch.randn({rows}, 1024)]


def get_init_inputs():
    return []
"""


def tasks(count: int) -> list[dict[str, Any]]:
    """Return rows of tasks: every computation at one size after the other."""
    return [
        {
            "task_name": f"recorded_{at}",
            "pytorch_code": PROGRAM.format(name="Model", forward=FORWARDS[at % len(FORWARDS)][0])
            + INPUTS.format(rows=64 + at // len(FORWARDS)),
            "kernel_code": None,
            "suite": "Recorded",
            "level": 1,
            "problem": at + 1,
        }
        for at in range(count)
    ]


def answer(request: dict[str, Any]) -> str:
    """Return the answer to a request: by its seed in a first turn, by what is told in a further one."""
    messages = [message["content"] for message in request["messages"]]
    right, wrong = next(
        (right, wrong) for asked, right, wrong in FORWARDS if f"return {asked}\n" in messages[1]
    )
    if "You write no program" in messages[0]:
        return "The values differ: compute exactly what the program computes."
    if len(messages) == 4 and "no_such" in messages[2]:
        return in_a_block(f"{wrong}  # the call is mended, {request['seed']}")
    if len(messages) > 2 or request["seed"] >= FIRST_SEEDS:
        return in_a_block(f"{right}  # a further turn, {request['seed']}")
    return (in_a_block(right), in_a_block(wrong), "I would use shared memory.", in_a_block("x.no_such()"))[
        request["seed"] % 4
    ]


def in_a_block(forward: str) -> str:
    return f"```python\n{PROGRAM.format(name='ModelNew', forward=forward)}```\n"
