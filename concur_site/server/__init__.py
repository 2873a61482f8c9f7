"""The site's HTTP server: waitress with bounds on everything that a client can hold.

`serve.run` serves the site on a listening socket that `manage.py up` bound and passed on; several processes
accept from the same socket. One loop per process reads requests and sends responses, so that slow clients
occupy a connection and no thread; threads run Django only. A queue that is too long or too old answers 503,
connections below a minimum rate are closed, and a process that is stuck ends itself and is replaced.

channel.py holds one connection, parser.py refuses ambiguous requests, dispatcher.py holds the bounded queue,
server.py the loop and its checks once a second, limits.py every figure. Imports nothing of the applications but
`datasets_app.processes`.
"""
