"""The verify stage: its pages, and its part of /api/v1/."""

from django.urls import path

from datasets_app.views.pending import pending

urlpatterns = [
    path("verify/", pending, name="verify"),
    path("verify/<uuid:pk>/", pending, name="verification"),
]

api_urlpatterns: list = []
