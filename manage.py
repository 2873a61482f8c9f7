#!/usr/bin/env python
"""Django's command line."""

from concur_site.__main__ import main

if __name__ == "__main__":
    main()
