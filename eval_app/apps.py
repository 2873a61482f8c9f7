from django.apps import AppConfig


class EvalConfig(AppConfig):
    name = "eval_app"
    verbose_name = "Verification"

    def ready(self) -> None:
        from datasets_app import bulk, ingest
        from datasets_app.browse import newest_evidence, staleness
        from datasets_app.curate import evidence
        from eval_app.request.bulk import VerifySamples
        from eval_app.results import newest
        from eval_app.results.curation import Verifications
        from eval_app.results.facets import register_facets
        from eval_app.results.reader import ReportsReader
        from eval_app.results.staleness import Environments

        bulk.register(VerifySamples())
        evidence.register(Verifications())
        staleness.register(Environments())
        newest_evidence.register(newest.newest_evidence)
        ingest.register(ReportsReader())
        register_facets()
