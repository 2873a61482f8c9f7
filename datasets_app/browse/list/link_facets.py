"""Facets of tags and assignments, which other tables link to samples."""

from datasets_app.browse.list.facets import show
from datasets_app.db.facet_index import MultiValueFacet, Touch, register

# Joins from the samples to their own links, whatever statistics the planner has: SQLite executes a CROSS JOIN
# in the
# written order. From the few tags on, it would look for each of their links among all requested numbers.
TAGS = """SELECT n.number, t.name FROM concur_sample_number n
    CROSS JOIN datasets_app_sampletag x CROSS JOIN datasets_app_tag t
    WHERE n.number {rows} AND x.sample_id = n.sample_id AND t.id = x.tag_id"""
ASSIGNED = """SELECT n.number, u.username FROM concur_sample_number n
    CROSS JOIN datasets_app_assignment a CROSS JOIN auth_user u
    WHERE n.number {rows} AND a.sample_id = n.sample_id AND u.id = a.reviewer_id"""
RENAMED_TAG = Touch(
    "datasets_app_tag", "SELECT sample_id FROM datasets_app_sampletag WHERE tag_id = {row}.id", columns="name"
)
RENAMED_REVIEWER = Touch(
    "auth_user",
    "SELECT sample_id FROM datasets_app_assignment WHERE reviewer_id = {row}.id",
    columns="username",
)


def register_facets() -> None:
    register(
        MultiValueFacet("tag", TAGS, touched=(Touch("datasets_app_sampletag"), RENAMED_TAG)),
        MultiValueFacet("assigned", ASSIGNED, touched=(Touch("datasets_app_assignment"), RENAMED_REVIEWER)),
    )
    show("tag")
    show("assigned")
