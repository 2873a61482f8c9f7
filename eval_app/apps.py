from django.apps import AppConfig


class EvalConfig(AppConfig):
    name = "eval_app"
    verbose_name = "Verification"

    def ready(self) -> None:
        from datasets_app import bulk, ingest
        from datasets_app.browse import staleness
        from eval_app.request.bulk import VerifySamples
        from eval_app.results.reader import ReportsReader
        from eval_app.results.staleness import Environments

        bulk.register(VerifySamples())
        staleness.register(Environments())
        ingest.register(ReportsReader())
