"""What tags and assignments add to the facets of the list."""

from datasets_app.browse.list.facets import show
from datasets_app.db.facet_index import MultiValueFacet, Touch, register

# From the samples to their own links, whatever the planner knows of the tables: SQLite takes a CROSS JOIN in the order
# in which it is written. From the few tags on, it would look for each of their links among all the numbers asked for.
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
