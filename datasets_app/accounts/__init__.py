"""People and programs: roles and scopes (`roles`), who acts in a request (`actor`), whose things are whose
(`ownership`), the guard of a page (`guard`), API tokens (`api_tokens`), signing in (`sign_in`).

The rest of the site calls `actor.actor_of(request)` once, marks its verbs with `actor.needs`, and guards its pages with
`guard.require`. Imports models and the audit log, and no stage.
"""
