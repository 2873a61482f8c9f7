"""/api/v1/ in the order of the stages."""

from django.urls import path

from datasets_app.api import ingests

urlpatterns: list = [
    # ingest
    path("ingests/", ingests.IngestList.as_view(), name="api-ingests"),
    path("ingests/<uuid:pk>/", ingests.IngestDetail.as_view(), name="api-ingest"),
    path("ingests/<uuid:pk>/refused/", ingests.IngestRefused.as_view(), name="api-ingest-refused"),
]
