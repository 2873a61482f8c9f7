"""URLs of /api/v1/, by stage."""

from django.urls import path

from datasets_app.api import bulk_actions, ingests
from datasets_app.api.neighbours import SampleNeighbours
from datasets_app.api.recipes import RecipeDetail, RecipeList
from datasets_app.api.releases import ReleaseDetail, ReleaseFile, ReleaseList
from datasets_app.api.reviews import ReviewList
from datasets_app.api.samples import SampleDetail, SampleList
from datasets_app.api.tags import TagDetail, TagList
from datasets_app.api.tasks import TaskDetail, TaskList
from datasets_app.api.views import SavedViewDetail, SavedViewList

urlpatterns: list = [
    # ingest
    path("ingests/", ingests.IngestList.as_view(), name="api-ingests"),
    path("ingests/<uuid:pk>/", ingests.IngestDetail.as_view(), name="api-ingest"),
    path("ingests/<uuid:pk>/cancel/", ingests.IngestCancel.as_view(), name="api-ingest-cancel"),
    path("ingests/<uuid:pk>/refused/", ingests.IngestRefused.as_view(), name="api-ingest-refused"),
    # browse
    path("samples/", SampleList.as_view(), name="api-samples"),
    path("samples/<uuid:pk>/", SampleDetail.as_view(), name="api-sample"),
    path("samples/<uuid:pk>/neighbours/", SampleNeighbours.as_view(), name="api-neighbours"),
    path("tasks/", TaskList.as_view(), name="api-tasks"),
    path("tasks/<uuid:pk>/", TaskDetail.as_view(), name="api-task"),
    path("tags/", TagList.as_view(), name="api-tags"),
    path("tags/<path:name>/", TagDetail.as_view(), name="api-tag"),
    path("views/", SavedViewList.as_view(), name="api-views"),
    path("views/<int:pk>/", SavedViewDetail.as_view(), name="api-view"),
    path("bulk-actions/", bulk_actions.BulkActionList.as_view(), name="api-bulk-actions"),
    path("bulk-actions/<uuid:pk>/", bulk_actions.BulkActionDetail.as_view(), name="api-bulk-action"),
    path("bulk-actions/<uuid:pk>/file/", bulk_actions.BulkActionFile.as_view(), name="api-bulk-file"),
    path("bulk-actions/<uuid:pk>/undo/", bulk_actions.BulkActionUndo.as_view(), name="api-bulk-undo"),
    # review
    path("reviews/", ReviewList.as_view(), name="api-reviews"),
    # curate
    path("recipes/", RecipeList.as_view(), name="api-recipes"),
    path("recipes/<slug:name>/", RecipeDetail.as_view(), name="api-recipe"),
    # export
    path("releases/", ReleaseList.as_view(), name="api-releases"),
    path("releases/<slug:name>/", ReleaseDetail.as_view(), name="api-release"),
    path("releases/<slug:name>/files/<path:path>", ReleaseFile.as_view(), name="api-release-file"),
]
