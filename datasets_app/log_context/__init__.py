"""What every log line says of its cause, for the site and its hosts alike: the request, and the job.

`context` holds both while something is worked on, `formatters` writes them at the end of a readable line or as members
of a JSON line, and `secrets` takes tokens, keys and passwords out of either. Standard library only, since a host has no
Django.
"""
