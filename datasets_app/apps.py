from django.apps import AppConfig
from django.core import checks
from django.db.models.signals import post_migrate, pre_migrate


class DatasetsConfig(AppConfig):
    name = "datasets_app"
    verbose_name = "Triples"

    def ready(self) -> None:
        from datasets_app.search import index
        from datasets_app.tokens import check_tokenizer

        pre_migrate.connect(index.before_migrate, sender=self, dispatch_uid="search-triggers-off")
        post_migrate.connect(index.after_migrate, sender=self, dispatch_uid="search-triggers-on")
        checks.register(check_tokenizer)
