"""/maintenance/: derived data, its progress, and buttons that update it."""

from dataclasses import dataclass

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.db.facet_index import read
from datasets_app.maintenance import runs, token_counts
from datasets_app.models import MaintenanceKind, MaintenanceRun
from datasets_app.traces import lengths
from datasets_app.views.htmx import HtmxRequest

WORDS = {
    MaintenanceKind.NEIGHBOURS: (
        "Each kernel's set of five-token runs, its signature and its cluster, which the sample page's "
        "“most similar kernels” and the filter `cluster:` use. It is updated after every ingest.",
        "Index new samples",
    ),
    MaintenanceKind.TOKENS: (
        "Traces are counted when they are stored. After a change of tokenizer, older counts are taken again; until "
        "then figures mix both. `CONCUR_TOKENIZER` names another `tokenizer.json`.",
        "Recount with the current tokenizer",
    ),
    MaintenanceKind.SEARCH: (
        "PostgreSQL indexes the words and the code of many new texts after they are stored; until then a search does "
        "not find them, and reports their number. It runs after every ingest. SQLite indexes immediately.",
        "Index new texts",
    ),
    MaintenanceKind.EVIDENCE: (
        "Each sample's evidence per device, and the device of its headline outcome and speedup. Reports keep "
        "them up to date. A run counts which device has the most deciding verifications, or takes the one that "
        "`CONCUR_REFERENCE_DEVICE` names, and derives every headline from it.",
        "Derive evidence again",
    ),
    MaintenanceKind.VERDICTS: (
        "The verdict of samples with several reviews. `CONCUR_VERDICT_POLICY` names what decides: the newest review, "
        "a majority of the reviewers, or all of them. Each review applies it to its own sample; after a change of the "
        "policy a run applies it to all.",
        "Decide again",
    ),
}


@dataclass(frozen=True)
class ShownWork:
    kind: str
    title: str
    explains: str
    button: str
    waiting: int
    job: MaintenanceRun | None
    tokenizers: list[tuple[str, int]]
    tokenizer: str

    @property
    def busy(self) -> bool:
        return self.job is not None and not self.job.is_finished


def tokenizers() -> list[tuple[str, int]]:
    reading = read()
    return token_counts.by_tokenizer(reading, reading.everything)


def shown(kind: MaintenanceKind) -> ShownWork:
    explains, button = WORDS[kind]
    return ShownWork(
        kind=kind.value,
        title=str(kind.label),
        explains=explains,
        button=button,
        waiting=runs.WORKS[kind].waiting(),
        job=MaintenanceRun.objects.filter(kind=kind).first(),
        tokenizers=tokenizers() if kind == MaintenanceKind.TOKENS else [],
        tokenizer=lengths.tokenizer_name(),
    )


@require(Scope.READ)
def page(request: HtmxRequest) -> HttpResponse:
    works = [shown(kind) for kind in WORDS]
    context = {"works": works, "moving": any(work.busy for work in works)}
    return render(
        request, "maintenance/_works.html" if request.htmx else "maintenance/maintenance.html", context
    )


@require(Scope.ADMIN, "POST")
def start(request: HtmxRequest, kind: str) -> HttpResponse:
    if kind not in MaintenanceKind.values:
        raise Http404(f"There is no maintenance called {kind}.")
    runs.request(kind, actor_of(request))
    return redirect("maintenance")
