"""Files that outlast a loss of power: a file's name is stored with its folder, and apart from its bytes.

`folders.sync_folder` is called after a file was created, renamed or deleted, before anybody is told that it is there.
Standard library only: hosts use it for their outbox.
"""
