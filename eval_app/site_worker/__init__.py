"""The site's worker (`manage.py sweep`): everything that acts on what hosts sent, or did not send.

`main.run` starts Celery on the site's queue, the `inbox` that reads the hosts' lists and passes each message to
`inbound`, and the `sweeper` that requeues what a dead worker or a lost message left behind; `host_contact` decides
whether leases may be ended. Nothing imports this package except the site's commands and its health page.
"""
