"""The demo pack of a new site: its triples, reports that were recorded on a GPU, verifications on this machine."""

from collections.abc import Callable

from concur_site import env
from datasets_app import demo_pack, ingest
from datasets_app.accounts.actor import SITE
from datasets_app.demo_pack import recorded
from datasets_app.evidence import record
from datasets_app.maintenance import evidence
from datasets_app.models import Ingest, Priority, Sample
from datasets_app.models.sample import Language
from eval_app.request.verify import request_verification
from eval_app.results.record import import_report

SOURCE = "ConCuR Workbench demo pack"
Say = Callable[[str], None]


def add_demo_pack(say: Say) -> None:
    """Ingest the demo pack once, with evidence to look at, unless CONCUR_DEMO=0."""
    if not env.flag("CONCUR_DEMO", True) or Ingest.objects.filter(source__name=SOURCE).exists():
        return
    say("ingesting the demo pack")
    ingest.ingest_rows(demo_pack.read_pack(), SOURCE, licence="Apache-2.0")
    import_recorded_reports()
    if env.flag("CONCUR_DEMO_VERIFY", True):
        verify_on_this_machine()


def import_recorded_reports() -> None:
    """Store the reports of the GPU kernels, which were recorded elsewhere: pages name their device and say so.

    The device of most of them becomes the reference device, on which a recipe works that names none.
    """
    samples = dict(Sample.objects.filter(source__name=SOURCE).values_list("external_id", "pk"))
    for found in recorded.read():
        sample_id = samples[found.name]
        import_report(sample_id, {**found.report, "id": str(sample_id)})
    for verified in evidence.batches():
        record.refresh(verified)


def verify_on_this_machine() -> None:
    """Ask for a verification of each C++ kernel, behind everything that people ask for."""
    samples = Sample.objects.filter(source__name=SOURCE, language=Language.CPP)
    request_verification(samples, actor=SITE, priority=Priority.LATER)
