"""`python -m apostille` is the `apostille` command."""

import sys

from ._program import main

sys.exit(main())
