"""A small named cast for the tests: one task, one sample, one person per role, each created in one line."""

import itertools
from typing import Any

from django.contrib.auth.models import Group, User

from datasets_app.accounts.actor import Actor, Via, account
from datasets_app.models import ReviewQueue, Sample, SampleBody, Source, Task, TaskBody
from datasets_app.models.identity import sample_id, task_id
from datasets_app.review.queues import create_queue

counter = itertools.count(1)

PROGRAM = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x) + {number}


def get_inputs():
    return [torch.randn(64, 64)]


def get_init_inputs():
    return []
"""
KERNEL = """import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clamp(min=0) + {number}
"""
REASONING = "Fuse the relu and the addition of {number} into one pass. Wait, keep the coalesced loads."


def make_source(name: str = "house", **fields: Any) -> Source:
    return Source.objects.get_or_create(name=name, defaults={"licence": "MIT", **fields})[0]


def make_task(program: str | None = None, **fields: Any) -> Task:
    number = next(counter)
    program = program or PROGRAM.format(number=number)
    defaults = {
        "name": f"relu_plus_{number}",
        "source": make_source(),
        "kind": "elementwise",
        "operator_count": 1,
    }
    task = Task.objects.create(id=task_id(program), **{**defaults, **fields})
    TaskBody.objects.create(task=task, pytorch_code=program)
    return task


def make_sample(
    task: Task | None = None, *, reasoning: str | None = None, kernel: str | None = None, **fields: Any
):
    """Create a stored triple. `reasoning=""` creates one without a trace."""
    number = next(counter)
    task = task or make_task()
    reasoning = REASONING.format(number=number) if reasoning is None else reasoning
    kernel = kernel or KERNEL.format(number=number)
    defaults = {
        "source": task.source,
        "generator": "writer-32b",
        "language": "python",
        "has_trace": bool(reasoning),
        "trace_tokens": len(reasoning.split()) if reasoning else None,
        "tokenizer": "words" if reasoning else "",
        "kernel_bytes": len(kernel.encode()),
    }
    sample = Sample.objects.create(
        id=sample_id(task.body.pytorch_code, reasoning, kernel), task=task, **{**defaults, **fields}
    )
    SampleBody.objects.create(sample=sample, reasoning=reasoning, kernel_code=kernel)
    return sample


def acting(user: User) -> Actor:
    """Return the person as the actor that verbs require, in a session."""
    return account(user, Via.PAGE)


def make_user(role: str = "reader", name: str | None = None) -> User:
    """Create a person with a role; the password is their name."""
    name = name or f"{role}-{next(counter)}"
    user = User.objects.create_user(name, password=name)
    user.groups.add(Group.objects.get_or_create(name=role)[0])
    return user


def make_queue(name: str = "first look", actor: Actor | None = None, **fields: Any) -> ReviewQueue:
    """Create a queue, not opened yet."""
    return create_queue(actor or acting(make_user("curator")), {"name": name, **fields})
