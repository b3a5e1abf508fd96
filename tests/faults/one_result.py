"""Make every kind of result once and print what a reader finds: a JSON object of digests.

In tests/: `python -m faults.one_result`. The digests must not depend on where, when and by whom it is run.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
import time
from pathlib import Path

from .steps import make_steps


def main() -> None:
    """Make the results, under the circumstances that were asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--clock-backwards", action="store_true", help="an hour less at each look")
    parser.add_argument("--no-cache", action="store_true", help="nowhere to keep compiled kernels")
    options = parser.parse_args()
    if options.clock_backwards:
        hours = itertools.count()
        time.time = lambda: 1e9 - 3600 * next(hours)
        time.localtime = lambda *_: time.gmtime(time.time())
    if options.no_cache:
        from numba.core import caching

        caching.CompileResultCacheImpl._locator_classes = []
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for name, step in make_steps(Path(folder)).items():
            if name == "export-notes" and sys.getfilesystemencoding() != "utf-8":
                continue  # its files are named as the documents are
            step.make_old()
            step.run()
            found[name] = step.found(remade=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
