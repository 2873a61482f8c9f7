"""What pyproject.toml cannot say: templates/ and static/ are beside the packages, and in the wheel inside one."""

from setuptools import find_packages, setup

APPS = ("concur_site", "datasets_app", "eval_app")
PAGES = {"concur_site.pages.templates": "templates", "concur_site.pages.static": "static"}

setup(
    packages=[*find_packages(include=[name for app in APPS for name in (app, f"{app}.*")]), *PAGES],
    package_dir=PAGES,
    package_data={name: ["**/*"] for name in (*APPS, *PAGES)},
    exclude_package_data={"": ["__pycache__/*", "**/__pycache__/*", "*.pyc"]},
)
