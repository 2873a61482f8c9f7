from tests.verify.conftest import live_site, migrated

__all__ = ["live_site", "migrated"]
