"""`python -m kibitz` is the `kibitz` command."""

import sys

from kibitz.cli import main

if __name__ == "__main__":
    sys.exit(main())
