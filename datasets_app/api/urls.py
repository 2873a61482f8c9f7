"""/api/v1/ in the order of the stages."""

from django.urls import path

from datasets_app.api.reviews import ReviewList
from datasets_app.api.samples import SampleDetail, SampleList
from datasets_app.api.tasks import TaskDetail, TaskList

urlpatterns: list = [
    # browse
    path("samples/", SampleList.as_view(), name="api-samples"),
    path("samples/<uuid:pk>/", SampleDetail.as_view(), name="api-sample"),
    path("tasks/", TaskList.as_view(), name="api-tasks"),
    path("tasks/<uuid:pk>/", TaskDetail.as_view(), name="api-task"),
    # review
    path("reviews/", ReviewList.as_view(), name="api-reviews"),
]
