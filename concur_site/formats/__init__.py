"""Formats of dates that have none of their own, such as the admin's: as on the site's pages."""
