"""The site's HTTP server: waitress with limits on everything that a client can occupy.

`serve.run` serves the site on a listening socket that `manage.py up` bound and passed on; several processes accept from
the same socket and leave a connection to the one that holds the fewest (board.py). One loop per process reads requests
and sends responses, so that slow clients occupy a connection and no thread; threads only run Django. If the queue is
too long or too old, the answer is 503; connections below a minimum rate are closed, and a process that is stuck ends
itself and is replaced.

channel.py is one connection, parser.py refuses ambiguous requests, dispatcher.py is the bounded queue, server.py the
loop and its checks once a second, limits.py all limits. Imports nothing of the applications but
`datasets_app.processes` and `datasets_app.counters`.
"""
