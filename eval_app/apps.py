from django.apps import AppConfig


class EvalConfig(AppConfig):
    name = "eval_app"
    verbose_name = "Verification"

    def ready(self) -> None:
        from datasets_app import ingest
        from eval_app.reader import ReportsReader

        ingest.register(ReportsReader())
