from django.apps import AppConfig


class EvalConfig(AppConfig):
    name = "eval_app"
    verbose_name = "Verification"

    def ready(self) -> None:
        from datasets_app.curate import evidence
        from eval_app.curation import Verifications

        evidence.register(Verifications())
