"""The request of a leaderboard: a filter of tasks, a device, the p of fast_p and the k of pass@k."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

from django.http import QueryDict

from datasets_app.analysis.leaderboard import METRICS, MOST_K, MOST_P, Run
from datasets_app.analysis.request import DeviceRequest, Link, device_named
from datasets_app.browse.query import BrowseError, BrowseFilter
from datasets_app.browse.query.task_filter import filtered_tasks
from datasets_app.evidence import devices
from datasets_app.models import Sample
from datasets_app.models.task import TaskQuerySet
from datasets_app.text_input.numbers import whole_number

PS, KS = (1.0, 1.5, 2.0), (1, 4, 10)  # that the page offers


@dataclass(frozen=True)
class LeaderboardRequest(DeviceRequest):
    """A filter of tasks. Without `on` the device is the reference device, or where none of the tasks' samples has
    evidence on that, the one with most.
    """

    p: float = 1.0
    k: int = 1
    by: str = "faster"

    @classmethod
    def from_params(cls, params: QueryDict) -> LeaderboardRequest:
        """Read an address. Raises BrowseError, also for filters of samples: a leaderboard is over tasks."""
        params = params.copy()
        p, k, by, on = (params.pop(name, [""])[-1].strip() for name in ("p", "k", "by", "on"))
        chosen = BrowseFilter.from_params(params)
        tasks = filtered_tasks(chosen.by_name)
        names = tuple(device.name for device in devices.ordered())
        of_tasks = Sample.objects.in_use().filter(task__in=tasks.values("pk"))
        device = device_named(on, BrowseFilter(), names) if on else devices.device_of(of_tasks)
        return cls(chosen, device, device if on else "", names, threshold(p), whole_k(k), metric(by))

    @cached_property
    def tasks(self) -> TaskQuerySet:
        return filtered_tasks(self.filter.by_name)

    @property
    def choices(self) -> dict[str, str]:
        p, k = ("" if value == 1 else f"{value:g}" for value in (self.p, self.k))
        return {**super().choices, "p": p, "k": k, "by": "" if self.by == "faster" else self.by}

    @property
    def p_links(self) -> list[Link]:
        return [(f"{p:g}", replace(self, p=p).querystring, p == self.p) for p in sorted({*PS, self.p})]

    @property
    def k_links(self) -> list[Link]:
        return [(f"{k}", replace(self, k=k).querystring, k == self.k) for k in sorted({*KS, self.k})]

    @property
    def by_links(self) -> list[Link]:
        """Return the orders, by the names that the columns have."""
        names = {"pass": f"pass@{self.k}"}
        return [(names.get(by, by), replace(self, by=by).querystring, by == self.by) for by in METRICS]

    def samples(self, run: Run) -> str:
        """Return the address of a run's samples of these tasks, as parameters of the list."""
        return self.filter.having("source", run.name).querystring()

    def passed(self, run: Run) -> str:
        """Return those that passed on the device."""
        return f"{self.samples(run)}&{urlencode({'outcome': 'passed', 'device': self.device})}"

    def faster(self, run: Run) -> str:
        """Return those that also were more than p times as fast."""
        return f"{self.passed(run)}&{urlencode({'speedup_min': f'>{self.p:g}'})}"


def threshold(text: str) -> float:
    try:
        p = float(text or "1")
    except ValueError:
        p = math.nan
    if not 0 < p <= MOST_P:
        raise BrowseError({"p": [f"p is a number above 0, at most {MOST_P:g}, not {text!r:.40}."]})
    return p


def metric(text: str) -> str:
    if text and text not in METRICS:
        raise BrowseError({"by": [f"by is one of {', '.join(METRICS)}, not {text!r:.40}."]})
    return text or "faster"


def whole_k(text: str) -> int:
    k = whole_number(text or "1", 1, MOST_K)
    if k is None:
        raise BrowseError({"k": [f"k is a whole number from 1 to {MOST_K}, not {text!r:.40}."]})
    return k
