"""The stages in order: a table of contents."""

from django.urls import path

from datasets_app.api.releases import ReleaseFile
from datasets_app.views import ingest, sample
from datasets_app.views.browse import browse
from datasets_app.views.pending import pending
from datasets_app.views.task import task

urlpatterns = [
    # ingest
    path("ingest/", ingest.index, name="ingest"),
    path("ingest/<uuid:pk>/", ingest.detail, name="ingest-detail"),
    path("ingest/<uuid:pk>/again/", ingest.again, name="ingest-again"),
    path("ingest/<uuid:pk>/refused/", ingest.refused, name="ingest-refused"),
    # browse
    path("browse/", browse, name="browse"),
    path("samples/<uuid:pk>/", sample.sample, name="sample"),
    path("samples/<uuid:pk>/text/<slug:name>/", sample.text, name="sample-text"),
    path("tasks/<uuid:pk>/", task, name="task"),
    # review
    path("review/", pending, name="review"),
    path("review/<uuid:pk>/", pending, name="review-sample"),
    # curate
    path("curate/", pending, name="curate"),
    path("curate/<slug:name>/", pending, name="recipe"),
    # export
    path("releases/", pending, name="releases"),
    path("releases/<slug:name>/", pending, name="release"),
    path("releases/<slug:name>/files/<path:path>", ReleaseFile.as_view(), name="release-file"),
    # analysis
    path("analysis/", pending, name="analysis"),
]
