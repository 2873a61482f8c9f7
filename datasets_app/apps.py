from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class DatasetsConfig(AppConfig):
    name = "datasets_app"
    verbose_name = "Triples"

    def ready(self) -> None:
        from datasets_app import derived

        pre_migrate.connect(derived.before_migrate, sender=self, dispatch_uid="derived-triggers-off")
        post_migrate.connect(derived.after_migrate, sender=self, dispatch_uid="derived-triggers-on")
