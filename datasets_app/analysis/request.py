"""The request of a page that judges on one device; that of figures: a filter of samples, a choice of bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from datasets_app.analysis.claims import WITHIN
from datasets_app.browse.query import BrowseError, BrowseFilter
from datasets_app.browse.query.fields import NONE
from datasets_app.browse.query.hidden_reviews import HiddenReviews
from datasets_app.evidence import devices
from datasets_app.models.sample import SampleQuerySet

BINS = {"paper": "the paper's", "data": "over these traces"}
Link = tuple[str, str, bool]  # words, querystring, whether it is shown now


@dataclass(frozen=True)
class DeviceRequest:
    """An address with a filter, and the device on which everything is judged. `on`: it, if the address names it.
    `devices`: all that have evidence, the reference device first.
    """

    filter: BrowseFilter
    device: str = ""
    on: str = ""
    devices: tuple[str, ...] = ()

    @property
    def choices(self) -> dict[str, str]:
        """Return the parameters of the address beside the filter; empty ones are left out of it."""
        return {"on": self.on}

    @property
    def beside(self) -> tuple[tuple[str, str], ...]:
        return tuple((name, value) for name, value in self.choices.items() if value)

    @property
    def unknown_device(self) -> str:
        """Return the device of the filter if no sample has evidence on it; empty otherwise."""
        known = not self.device or self.device == NONE or self.device in self.devices
        return "" if known else self.device

    @property
    def querystring(self) -> str:
        return "&".join(part for part in (self.filter.querystring(), urlencode(self.beside)) if part)

    @property
    def device_links(self) -> list[Link]:
        return [(name, replace(self, on=name).querystring, name == self.device) for name in self.devices]


@dataclass(frozen=True)
class FigureRequest(DeviceRequest):
    """The figures of the analysis page, all on one device; `bins`: the choice of one of them."""

    bins: str = ""

    @classmethod
    def from_params(cls, params: QueryDict, hidden: HiddenReviews | None = None) -> FigureRequest:
        """Read an address: `on` names a device, else the filter's only one does. Raises BrowseError."""
        params = params.copy()
        params.pop("anew", None)
        bins, on = (params.pop(name, [""])[-1] for name in ("bins", "on"))
        chosen = BrowseFilter.from_params(params, hidden)
        names = tuple(device.name for device in devices.ordered())
        device = device_named(on, chosen, names)
        return cls(chosen, device, device if on else "", names, bins if bins in BINS else "")

    @cached_property
    def samples(self) -> SampleQuerySet:
        """The samples of the filter, with their results on the device; one small query for all figures."""
        return self.filter.queryset().with_result_on(self.device)

    @property
    def choices(self) -> dict[str, str]:
        return {**super().choices, "bins": self.bins}

    @property
    def bins_links(self) -> list[Link]:
        return [
            (words, replace(self, bins=name).querystring, name == self.bins) for name, words in BINS.items()
        ]

    @property
    def claim_lists(self) -> list[tuple[str, str]]:
        """Return words and the list's address for each part of the measured claims; none where the filter's own device
        or ratio would make it another list than the figure's.
        """
        own = self.filter.get("device")
        if "ratio_min" in self.filter or "ratio_max" in self.filter:
            return []
        if own and not devices.is_device(own[0], self.device):
            return []
        low, high = f"{1 - WITHIN:g}", f"{1 + WITHIN:g}"
        ranges = {
            "measured less than claimed": {"ratio_max": f"<{low}"},
            f"within {WITHIN:.0%} of the claim": {"ratio_min": low, "ratio_max": high},
            "measured more than claimed": {"ratio_min": f">{high}"},
        }
        there = {**self.filter.by_name, "device": self.device}
        lists = {words: BrowseFilter.from_params({**there, **ends}) for words, ends in ranges.items()}
        return [
            (words, f"{reverse('browse')}?{chosen.querystring()}&sort=ratio")
            for words, chosen in lists.items()
        ]


def device_named(on: str, chosen: BrowseFilter, names: Sequence[str]) -> str:
    """Return the whole name of the device, one of `names`; the first where nobody names one. Raises BrowseError."""
    filtered = chosen.get("device")
    wanted = on or (filtered[0] if len(filtered) == 1 else "")
    if not wanted:
        return names[0] if names else ""
    matches = [name for name in names if devices.is_device(wanted, name)]
    if on and not matches:
        raise BrowseError({"on": [f"No sample has evidence on {on!r:.60}; choose from {', '.join(names)}."]})
    return matches[0] if matches else wanted
