"""Fills a site with an example of every state through its own verbs: ingested, recorded, reviewed, frozen."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.urls import reverse

from datasets_app import bulk
from datasets_app.accounts import invitations
from datasets_app.accounts.actor import COMMAND, SITE
from datasets_app.accounts.api_tokens import make_token
from datasets_app.browse.list import saved_views, tags
from datasets_app.bulk.target import Target
from datasets_app.demo_pack import read_pack
from datasets_app.ingest import IncomingFile, Provenance, run_ingest, start_ingests
from datasets_app.maintenance import runs as maintenance
from datasets_app.models import Ingest, MaintenanceKind, Sample, Verification
from eval_app.request.verify import request_verification
from eval_app.results.record import record_report
from eval_app.site_worker import announcements
from eval_app.workers import registry
from tests.browser.states import correcting, editing, reviews, texts
from tests.browser.states.asking import ask_all
from tests.browser.states.comparing import compare_two
from tests.browser.states.curating import compose_recipe, release_them
from tests.browser.states.noting import note_all, suggest_all
from tests.browser.states.operating import operate
from tests.browser.states.places import addresses, code_against, machine_code, tried
from tests.browser.states.requesting import under_way
from tests.browser.states.telling import tell_all
from tests.browser.states.turning import take_turns
from tests.factories import PROGRAM, acting, make_user
from tests.ingest.conftest import write_lines
from tests.verify import reports

ERROR = 'main.cu(12): error: identifier "blockDimm" is undefined\n'
BUILD = {"extensions": 1, "tier": "slim", "seconds": 3.0, "cached": False}
KERNEL = """import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x.clamp(min=0) + {number}
"""


@dataclass(frozen=True)
class Person:
    reader: Any
    annotator: Any
    curator: Any
    administrator: Any


def people() -> Person:
    cast = (("reader", "rosa"), ("annotator", "ada"), ("curator", "grace"))
    made = [make_user(role, name) for role, name in cast]
    return Person(*made, make_user("administrator", "admin"))


# --- Files ------------------------------------------------------------------------------------------------


def row(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "task_name": f"relu_plus_{number}",
        "pytorch_code": PROGRAM.format(number=number),
        "reasoning": f"Fuse the relu and the addition of {number}.",
        "kernel_code": KERNEL.format(number=number),
        "generator": "writer-32b",
        **changes,
    }


def trying_rows() -> Iterator[dict[str, Any]]:
    """Return one row of each kind that stresses a page; `name` identifies it."""
    yield row(1, name="alone")
    yield row(2, name="long-trace", reasoning=texts.long_trace())
    yield row(3, name="long-kernel", kernel_code=texts.long_kernel(), language="cuda")
    yield row(4, name="hostile", reasoning=texts.HOSTILE_TRACE, kernel_code=texts.HOSTILE_KERNEL,
              generator=f"<b>{texts.SCRIPT[:60]}", note=texts.HOSTILE)  # fmt: skip
    yield row(4, name="hostile-turn", turn=2, parent="hostile", feedback=texts.HOSTILE)
    yield row(5, name="no-trace", reasoning="")
    trace, kernel = texts.following()
    yield row(11, name="follows", reasoning=trace, kernel_code=kernel)


def ingest(path: Path, actor: Any, source: str, licence: str = "MIT") -> Ingest:
    file = IncomingFile(path, path.name, provenance=Provenance(source, licence=licence))
    [asked] = start_ingests([file], acting(actor), in_background=False)
    run_ingest(asked.pk)
    asked.refresh_from_db()
    return asked


def refused_rows() -> Iterator[dict[str, Any]]:
    yield row(6, name="good")
    yield row(7, pytorch_code="def f(:\n")
    yield row(8, kernel_code="print('no ModelNew')")
    yield row(9, kernel_code=f"{texts.HOSTILE} is no program")
    yield row(10, claimed_speedup=-3)


# --- Evidence -----------------------------------------------------------------------------------------------


def verify(sample: Sample, report: dict[str, Any], profile: str = "quick") -> Verification:
    [asked] = request_verification([sample], profile, send=False, actor=COMMAND)
    record_report(asked.pk, asked.attempt, report)
    asked.refresh_from_db()
    return asked


def on_another(sample: Sample) -> dict[str, Any]:
    """Record the same kernel on another machine, a little slower."""
    data = reports.full(sample.pk, device={**reports.DEVICE, "name": "NVIDIA A100", "driver": "570.10"})
    data["timing"]["speedup"] = {"median": 1.4, "low": 1.36, "high": 1.44}
    return data


def compiled_again(sample: Sample) -> dict[str, Any]:
    """Record the same run by a compiler that chose another instruction."""
    data = reports.full(sample.pk)
    data["inspection"]["sass"] = data["inspection"]["sass"].replace(
        "FMNMX R9, R6, R7, !PT", "FADD R9, R6, R7"
    )
    return data


def hostile_report(sample: Sample) -> dict[str, Any]:
    """Return a failed build whose log was written by its own program."""
    return reports.report(
        sample.pk,
        "build_error",
        detail=f"{texts.HOSTILE}\n{texts.HOSTILE}",
        findings=[{"code": "try_fallback", "severity": "audit", "detail": f"line 6: {texts.HOSTILE}"}],
        build={
            "extensions": 1,
            "tier": "slim",
            "seconds": 3.0,
            "cached": False,
            "log": f"{ERROR}{texts.HOSTILE}\n" * 20,
        },
    )


def kinds_of_report() -> list[Any]:
    return [reports.full, reports.passed, reports.wrong, reports.cheated, on_timeout, reports.all_wrong]


def on_timeout(sample_id: object) -> dict[str, Any]:
    return reports.report(sample_id, "timeout", detail="a call took longer than 30 s")


def verify_all(samples: list[Sample]) -> None:
    """Store evidence of every kind for two of three samples, with measured speedups that differ."""
    makers = kinds_of_report()
    for number, sample in enumerate(samples):
        if number % 3 == 2:
            continue
        data = makers[number % len(makers)](sample.pk)
        if data.get("timing"):
            factor = 0.6 + 0.13 * (number % 17)
            data["timing"]["speedup"] = {"median": factor, "low": factor * 0.98, "high": factor * 1.02}
        verify(sample, data)


DEVICES = [{"kind": "cuda", "name": "NVIDIA H200", "index": number} for number in range(2)]
HOST = {
    "devices": DEVICES,
    "queues": ["cuda", "cpu"],
    "versions": {"engine": reports.ENGINE_VERSION, "torch": "2.13.0", "cuda": "13.0"},
    "sandbox": "bwrap",
    "lanes": 2,
}


def hosts() -> None:
    """Add a host with an alert, one that is drained, and the workers."""
    seen, _ = registry.add_host("gpu-7", actor=COMMAND)
    operate(seen, HOST)
    registry.add_host("gpu-8", actor=COMMAND)
    registry.drain_host("gpu-8", actor=COMMAND)
    fleet()


def fleet() -> None:
    """Announce three workers: one running, one that failed its self-test, one that was stopped."""
    announcements.announce("gpu-1", {**HOST, "state": "ready", "healthy": True, "busy": 1})
    announcements.announce(
        "gpu-2", {**HOST, "state": "unhealthy", "health_detail": "a known-bad kernel passed"}
    )
    announcements.announce("gpu-3", {**HOST, "state": "stopped"})


# --- Actions of people --------------------------------------------------------------------------------------


def label_all(samples: list[Sample], who: Person) -> None:
    for name, colour in (("needs-look", "amber"), ("hack/replay", "red"), ("teaching", "green")):
        tags.put_on(COMMAND, samples[0], tags.make(COMMAND, name, colour))
    saved_views.save(acting(who.annotator), "fast ones", "outcome=passed", shared=True)
    saved_views.save(acting(who.curator), "<b>bold</b>", "verdict=accept&language=cuda", shared=True)
    bulk.start(acting(who.annotator), "tag", Target("language=triton"), {"tag": "looked-at"})


def keep_up() -> None:
    """Run the maintenance that follows an ingest."""
    for kind in MaintenanceKind.values:
        maintenance.run(maintenance.request(kind, SITE, in_background=False).pk)


# --- All of it ----------------------------------------------------------------------------------------------------


def fill(folder: Path, who: Person) -> dict[str, str]:
    """Create everything; return the addresses that the states need, by name."""
    ingest(write_lines(folder / "demo.jsonl", read_pack()), who.curator, "Demo pack", "Apache-2.0")
    ingest(write_lines(folder / "trying.jsonl", trying_rows()), who.curator, "trying")
    refused = ingest(write_lines(folder / "refused.jsonl", refused_rows()), who.curator, "refused")
    unknown = ingest(write_lines(folder / "unknown.jsonl", [{"question": "faster?"}]), who.curator, "unknown")
    samples = Sample.objects.select_related("task")
    pack = list(samples.filter(source__name="Demo pack").order_by("task__name", "external_id"))
    verify_all(pack)
    cast = {one.external_id: one for one in samples.all()}
    shown, failing = cast["layer_norm.cuda_registers"], cast["row_l2_norm.cuda_block"]
    verify(shown, on_another(shown))
    whole = verify(shown, reports.full(shown.pk), "thorough")
    again = verify(shown, compiled_again(shown), "standard")
    wrong = verify(failing, reports.all_wrong(failing.pk), "thorough")
    hostile = verify(cast["hostile"], hostile_report(cast["hostile"]))
    hosts()
    queued, held = under_way(cast["topk_values.cuda_rank"], cast["topk_values.cuda_rounds"])
    reviews.judge(pack, who)
    queue = reviews.fill_queue(cast["embedding_gate.cuda_vec4"], who)
    label_all([shown], who)
    suggest_all(failing, cast["hostile"], who)
    note_all(shown, cast["hostile"], who.annotator, who.curator)
    keep_up()
    release_them(acting(who.curator))
    compose_recipe(acting(who.curator))
    edited = editing.edit_all(pack[10:14], who.annotator, who.curator)
    make_token(who.annotator, ["read"], "a notebook", actor=COMMAND)
    return {
        "invitation": invitations.path(invitations.invite("annotator", "Mary", actor=COMMAND)[1]),
        **tell_all(acting(who.administrator)),
        **ask_all(),
        **take_turns(),
        "sample": shown.get_absolute_url(),
        **tried(cast),
        "task": shown.task.get_absolute_url(),
        "task alone": cast["alone"].task.get_absolute_url(),
        "hostile task": cast["hostile"].task.get_absolute_url(),
        **machine_code(whole.get_absolute_url(), again),
        "pair": code_against(shown.pk, wrong.sample_id),
        "pair of which one has none": code_against(shown.pk, hostile.sample_id),
        **addresses("wrong", wrong),
        "hostile evidence": hostile.get_absolute_url(),
        **addresses("queued", queued),
        **addresses("running", held),
        **correcting.places(refused),
        "unknown": unknown.get_absolute_url(),
        "itself": str(shown.pk),
        "compare": compare_two(shown, cast["layer_norm.cuda_tree"], who.annotator, who.curator),
        "sibling": str(cast["layer_norm.cuda_tree"].pk),
        "review hostile": cast["hostile"].get_absolute_url().replace("/samples/", "/review/"),
        "disputed": reverse("adjudicate", args=[pack[1].pk]),
        "withdrawable": reverse("review-withdraw", args=[pack[1].reviews.all()[0].pk]),
        "suggested": failing.get_absolute_url().replace("/samples/", "/review/"),
        **editing.places(edited),
        "queue": queue.get_absolute_url(),
        "admin record": f"/admin/auth/user/{who.reader.pk}/change/",
        "to review": cast["topk_values.cuda_rank"].get_absolute_url().replace("/samples/", "/review/"),
    }
