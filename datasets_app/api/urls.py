"""/api/v1/ in the order of the stages."""

from django.urls import path

from datasets_app.api.reviews import ReviewList

urlpatterns = [
    # review
    path("reviews/", ReviewList.as_view(), name="api-reviews"),
]
