"""/api/v1/ in the order of the stages."""

from django.urls import path

from datasets_app.api import ingests
from datasets_app.api.recipes import RecipeDetail, RecipeList
from datasets_app.api.releases import ReleaseDetail, ReleaseFile, ReleaseList
from datasets_app.api.samples import SampleDetail, SampleList
from datasets_app.api.tasks import TaskDetail, TaskList

urlpatterns: list = [
    # ingest
    path("ingests/", ingests.IngestList.as_view(), name="api-ingests"),
    path("ingests/<uuid:pk>/", ingests.IngestDetail.as_view(), name="api-ingest"),
    path("ingests/<uuid:pk>/refused/", ingests.IngestRefused.as_view(), name="api-ingest-refused"),
    # browse
    path("samples/", SampleList.as_view(), name="api-samples"),
    path("samples/<uuid:pk>/", SampleDetail.as_view(), name="api-sample"),
    path("tasks/", TaskList.as_view(), name="api-tasks"),
    path("tasks/<uuid:pk>/", TaskDetail.as_view(), name="api-task"),
    # curate
    path("recipes/", RecipeList.as_view(), name="api-recipes"),
    path("recipes/<slug:name>/", RecipeDetail.as_view(), name="api-recipe"),
    # export
    path("releases/", ReleaseList.as_view(), name="api-releases"),
    path("releases/<slug:name>/", ReleaseDetail.as_view(), name="api-release"),
    path("releases/<slug:name>/files/<path:path>", ReleaseFile.as_view(), name="api-release-file"),
]
