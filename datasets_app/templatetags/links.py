"""`{% url %}` as Django's, but an address without an argument is resolved once per process. Every template has it."""

from django import template
from django.template import Node
from django.template.base import Parser, Token
from django.template.context import Context
from django.template.defaulttags import url as url_of_django

from datasets_app.paths import path_of

register = template.Library()


class PathNode(Node):
    """The path of a page whose name is written in the template."""

    def __init__(self, name: str) -> None:
        self.name = name

    def render(self, context: Context) -> str:
        return path_of(self.name)


@register.tag
def url(parser: Parser, token: Token) -> Node:
    """Parse Django's tag. Names with a namespace stay Django's, which looks at the request for them."""
    node = url_of_django(parser, token)
    name = node.view_name.var  # a string if it is a constant
    is_constant = isinstance(name, str) and not node.view_name.filters and ":" not in name
    return PathNode(name) if is_constant and not (node.args or node.kwargs or node.asvar) else node
