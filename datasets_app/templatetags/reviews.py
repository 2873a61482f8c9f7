"""The reviews of a sample, for the pages that show them."""

from django import template

register = template.Library()


@register.inclusion_tag("review/_reviews.html", takes_context=True)
def reviews(context, sample):
    return {
        "sample": sample,
        "reviews": sample.reviews.with_reviewer(),
        "may_annotate": context.get("may_annotate"),
    }
