"""The site's addresses and those of three pages that drf-spectacular generates."""

from django.contrib.auth.decorators import login_not_required
from django.urls import include, path
from drf_spectacular.views import SpectacularRedocView, SpectacularSwaggerSplitView, SpectacularSwaggerView

urlpatterns = [
    path("swagger/", login_not_required(SpectacularSwaggerView.as_view(url_name="schema"))),
    path("swagger-split/", login_not_required(SpectacularSwaggerSplitView.as_view(url_name="schema"))),
    path("redoc/", login_not_required(SpectacularRedocView.as_view(url_name="schema"))),
    path("", include("concur_site.urls")),
]
