from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps a process to its limit of data")
def test_a_process_that_wants_too_much_memory_is_told_so() -> None:
    code = """
from qdtm.app.memory import limit_memory
limit_memory(200)
kept = bytearray(50 * 2**20)
try:
    bytearray(500 * 2**20)
except MemoryError:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "refused"
