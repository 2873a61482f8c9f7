from django.contrib.admin.apps import AdminConfig


class WorkbenchAdminConfig(AdminConfig):
    """django.contrib.admin with this site's own front door (a file of its own: no model is loaded yet)."""

    default_site = "datasets_app.admin_site.WorkbenchAdminSite"
