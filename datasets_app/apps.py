from django.apps import AppConfig
from django.core import checks
from django.db.models.signals import post_migrate, pre_migrate


class DatasetsConfig(AppConfig):
    name = "datasets_app"
    verbose_name = "Triples"

    def ready(self) -> None:
        from datasets_app import derived
        from datasets_app.browse.link_facets import register_facets
        from datasets_app.bulk import verbs
        from datasets_app.tokens import check_tokenizer

        register_facets()
        verbs.register_all()
        pre_migrate.connect(derived.before_migrate, sender=self, dispatch_uid="derived-triggers-off")
        post_migrate.connect(derived.after_migrate, sender=self, dispatch_uid="derived-triggers-on")
        checks.register(check_tokenizer)
