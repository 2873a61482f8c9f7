import gc

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "concur_site"
    verbose_name = "Site"

    def ready(self) -> None:
        from concur_site import celery  # noqa: F401  (makes it the app that shared tasks belong to)

        gc.freeze()  # what is loaded stays, so that no collection need look at it
        gc.enable()
