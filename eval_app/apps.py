from django.apps import AppConfig


class EvalConfig(AppConfig):
    name = "eval_app"
    verbose_name = "Verification"

    def ready(self) -> None:
        from datasets_app import bulk, ingest
        from eval_app.request.bulk import VerifySamples
        from eval_app.results.reader import ReportsReader

        bulk.register(VerifySamples())
        ingest.register(ReportsReader())
