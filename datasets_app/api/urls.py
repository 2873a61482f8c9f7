"""/api/v1/ in the order of the stages."""

urlpatterns: list = []
