"""Filters of the operations page."""

from django import template

from datasets_app.browse import formats

register = template.Library()
register.filter("duration", formats.time_span)
