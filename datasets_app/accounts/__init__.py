"""Access control: roles and scopes (`roles`), the actor of a request (`actor`), ownership (`ownership`), the guard of
pages (`guard`), API tokens (`api_tokens`), signing in (`sign_in`, `brake`, `second_factor`), and the administration of
accounts (`people`, `invitations`).

The rest of the site calls `actor.actor_of(request)` once per request, marks the functions that change something with
`actor.needs`, and guards its pages with `guard.require`. This package imports models and the checks of typed text, and
no stage.
"""
