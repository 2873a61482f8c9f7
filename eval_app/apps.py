from django.apps import AppConfig


class EvalConfig(AppConfig):
    name = "eval_app"
    verbose_name = "Verification"
