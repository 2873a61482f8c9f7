from django.apps import AppConfig


class DatasetsConfig(AppConfig):
    name = "datasets_app"
    verbose_name = "Triples"
