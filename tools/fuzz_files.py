"""Loads damaged files, or kills processes that save: the long form of what tests/serialization does in a small dose.

    python tools/fuzz_files.py damage --count 100000
    python tools/fuzz_files.py killing --count 200

The tests come from the tree, the package from where Python finds it first.
"""

import sys
from pathlib import Path


def main():
    sys.path.append(str(Path(__file__).resolve().parent.parent))
    from tests.serialization import damage, killing

    return {"damage": damage, "killing": killing}[sys.argv.pop(1)].main()


if __name__ == "__main__":
    sys.exit(main())
