"""What tags and assignments add to the facets of the list."""

from datasets_app.bits import Many, Touch, register
from datasets_app.browse.facets import show

TAGS = """SELECT n.number, t.name FROM concur_sample_number n
    JOIN datasets_app_sampletag x ON x.sample_id = n.sample_id
    JOIN datasets_app_tag t ON t.id = x.tag_id WHERE n.number {rows}"""
ASSIGNED = """SELECT n.number, u.username FROM concur_sample_number n
    JOIN datasets_app_assignment a ON a.sample_id = n.sample_id
    JOIN auth_user u ON u.id = a.reviewer_id WHERE n.number {rows}"""
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
        Many("tag", TAGS, touched=(Touch("datasets_app_sampletag"), RENAMED_TAG)),
        Many("assigned", ASSIGNED, touched=(Touch("datasets_app_assignment"), RENAMED_REVIEWER)),
    )
    show("tag")
    show("assigned")
