"""python -m concur_client"""

import sys

from concur_client.cli import main

sys.exit(main())
