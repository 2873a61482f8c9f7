"""Program, trace and kernel prepared for a page: split into parts, highlighted, with outline and claims.

Everything here is a pure function of texts, so that a child process can run it (datasets_app.bounded); nothing here
imports a model. Pages call `browse.sample.panes`.

read.py        the three panes of a sample, and a part of one of them
parts.py       how a text is split: by lines and by characters, and long lines
code_pane.py   a program or a kernel; trace_pane.py a trace; trace_items.py its segments as HTML
compared.py    a difference; plain.py the panes of texts whose analysis failed
"""
