"""`python -m askos` is `askos`."""

import sys

from askos.cli import main

if __name__ == "__main__":
    sys.exit(main())
