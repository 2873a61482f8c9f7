from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate


class DatasetsConfig(AppConfig):
    name = "datasets_app"
    verbose_name = "Triples"

    def ready(self) -> None:
        from datasets_app.bulk import verbs
        from datasets_app.search import index

        verbs.register_all()
        pre_migrate.connect(index.before_migrate, sender=self, dispatch_uid="search-triggers-off")
        post_migrate.connect(index.after_migrate, sender=self, dispatch_uid="search-triggers-on")
