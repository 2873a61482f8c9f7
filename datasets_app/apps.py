from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.core import checks
from django.db.models.signals import post_migrate, pre_migrate


class DatasetsConfig(AppConfig):
    name = "datasets_app"
    verbose_name = "Triples"

    def ready(self) -> None:
        """Fill the registries. The imports are here because these modules need the models to be loaded."""
        from datasets_app.browse.list.link_facets import register_facets
        from datasets_app.bulk import verbs
        from datasets_app.db import triggers
        from datasets_app.ingest import readers
        from datasets_app.review.rubric.versions import store_first
        from datasets_app.traces.lengths import SETTINGS_CHECKS, check_tokenizer

        register_facets()
        verbs.register_all()
        readers.register_all()
        pre_migrate.connect(triggers.before_migrate, sender=self, dispatch_uid="derived-triggers-off")
        post_migrate.connect(triggers.after_migrate, sender=self, dispatch_uid="derived-triggers-on")
        post_migrate.connect(store_first, sender=self, dispatch_uid="first-rubric")
        checks.register(check_tokenizer, SETTINGS_CHECKS)


class WorkbenchAdminConfig(admin_apps.AdminConfig):
    """django.contrib.admin with the site's own sign-in page."""

    default = False  # the app's own configuration is the one above
    default_site = "datasets_app.accounts.admin_site.WorkbenchAdminSite"
