"""/api/v1/ in the order of the stages."""

from django.urls import path

from datasets_app.api import ingests
from datasets_app.api.recipes import RecipeDetail, RecipeList
from datasets_app.api.releases import ReleaseDetail, ReleaseFile, ReleaseList
from datasets_app.api.reviews import ReviewList

urlpatterns: list = [
    # ingest
    path("ingests/", ingests.IngestList.as_view(), name="api-ingests"),
    path("ingests/<uuid:pk>/", ingests.IngestDetail.as_view(), name="api-ingest"),
    path("ingests/<uuid:pk>/refused/", ingests.IngestRefused.as_view(), name="api-ingest-refused"),
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
