"""/upkeep/: what is derived from the triples, how far it is, and a button that brings it up to date."""

from dataclasses import dataclass

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render

from datasets_app.accounts.actor import actor_of
from datasets_app.accounts.guard import require
from datasets_app.accounts.roles import Scope
from datasets_app.browse import BrowseFilter
from datasets_app.browse.query.sets import Sets
from datasets_app.db.facet_index import read
from datasets_app.maintenance import runs, token_counts
from datasets_app.models import Upkeep, UpkeepKind
from datasets_app.traces import lengths
from datasets_app.views.htmx import HtmxRequest

WORDS = {
    UpkeepKind.NEIGHBOURS: (
        "Every kernel as a set of runs of five tokens, its signature and its cluster: what the sample page's "
        "“most similar kernels” and the filter `cluster:` read. It follows every ingest by itself.",
        "Index what waits",
    ),
    UpkeepKind.TOKENS: (
        "Traces are counted when they come in. Where another tokenizer counted, a recount brings them to the present "
        "one; until then figures mix the two. `CONCUR_TOKENIZER` chooses another `tokenizer.json`.",
        "Recount with the present tokenizer",
    ),
    UpkeepKind.EVIDENCE: (
        "Each sample's evidence per device, and the device that its headline outcome and speedup are of. Reports keep "
        "them up to date. A run counts which device has the most deciding verifications, or takes the one that "
        "`CONCUR_REFERENCE_DEVICE` names, and brings every headline to it.",
        "Derive evidence again",
    ),
}


@dataclass(frozen=True)
class ShownWork:
    kind: str
    title: str
    explains: str
    button: str
    waiting: int
    job: Upkeep | None
    tokenizers: list[tuple[str, int]]
    tokenizer: str

    @property
    def busy(self) -> bool:
        return self.job is not None and not self.job.is_finished


def shown(kind: UpkeepKind) -> ShownWork:
    explains, button = WORDS[kind]
    counted = token_counts.by_tokenizer(Sets(BrowseFilter(), read())) if kind == UpkeepKind.TOKENS else []
    return ShownWork(
        kind=kind.value,
        title=str(kind.label),
        explains=explains,
        button=button,
        waiting=runs.WORKS[kind].waiting().count(),
        job=Upkeep.objects.filter(kind=kind).first(),
        tokenizers=counted,
        tokenizer=lengths.tokenizer_name(),
    )


@require(Scope.READ)
def page(request: HtmxRequest) -> HttpResponse:
    works = [shown(kind) for kind in WORDS]
    context = {"works": works, "moving": any(work.busy for work in works)}
    return render(request, "upkeep/_works.html" if request.htmx else "upkeep/upkeep.html", context)


@require(Scope.ADMIN, "POST")
def start(request: HtmxRequest, kind: str) -> HttpResponse:
    if kind not in UpkeepKind.values:
        raise Http404(f"There is no upkeep called {kind}.")
    runs.request(kind, actor_of(request))
    return redirect("upkeep")
