"""The evidence for a sample, for the pages that show it."""

from django import template

register = template.Library()


@register.inclusion_tag("verify/_evidence.html", takes_context=True)
def evidence(context, sample):
    return {
        "sample": sample,
        "may_annotate": context.get("may_annotate"),
        "csrf_token": context.get("csrf_token"),
    }
