"""Queries to a judge without a candidate: the time of a baseline, the device's peak rates. One process per query."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from eval_app.engine.contract import schema
from eval_app.engine.contract.profiles import Profile
from eval_app.engine.judge.clock import baselines, roofline
from eval_app.engine.judge.verdicts import ReferenceFaultError


def answer(order: dict[str, Any], device: torch.device, folder: Path) -> dict[str, Any]:
    """Return the answer to `order["query"]`; `{"missing": reason}` if there is none."""
    try:
        if order["query"] == "peaks":
            return roofline.measure_peaks(device)
        profile = schema.read(Profile, order["profile"], "profile")
        return baselines.measure(order["mode"], order["reference"], folder, device, profile)
    except ReferenceFaultError as error:
        return {"missing": str(error)[:300]}
    except torch.OutOfMemoryError:
        return {"missing": "not enough device memory"}
