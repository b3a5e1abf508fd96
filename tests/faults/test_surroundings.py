"""Clocks, locales, homes and installs: they change no byte of a result, and none stops the work."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.faults

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "src"
NOBODY = 65534


def one_result(*arguments, leave_out=(), user=None, **variables):
    environment = {name: value for name, value in os.environ.items() if name not in leave_out}
    path = os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "faults.one_result", *arguments],
        cwd=TESTS, env=environment | {"PYTHONPATH": path} | variables,
        capture_output=True, user=user,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def usual():
    return one_result(PYTHONHASHSEED="1", TZ="UTC")


def test_everything_is_different_and_the_bytes_are_the_same(usual):
    elsewhere = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    found = one_result(
        "--clock-backwards", leave_out=("HOME", "LANG", "USER", "XDG_CACHE_HOME"),
        PYTHONHASHSEED="2", TZ="Pacific/Kiritimati", NUMBA_CACHE_DIR="", **elsewhere,
    )  # fmt: skip
    assert found == {name: usual[name] for name in usual if name != "export-notes"}


OTHER_PROCESSORS = {
    "numba for any 64-bit processor": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    "numba without AVX-512": {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": "+avx2,+fma"},
    "the C library without AVX2 and FMA": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F"},
}
"""Features that this processor can be made to do without; those of numpy and BLAS change last bits."""


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="features of other processors")
@pytest.mark.parametrize("name", OTHER_PROCESSORS)
def test_other_processors(usual, name, tmp_path):
    assert one_result(NUMBA_CACHE_DIR=str(tmp_path), **OTHER_PROCESSORS[name]) == usual


@pytest.mark.slow
@pytest.mark.parametrize("locale", ["tr_TR.UTF-8", "de_DE.ISO-8859-1", "POSIX", "C.UTF-8", "nonsense"])
def test_locales(usual, locale):
    assert one_result(LC_ALL=locale, LANG=locale) == usual


@pytest.mark.slow
@pytest.mark.parametrize("zone", ["America/St_Johns", "Asia/Kathmandu", "nonsense"])
def test_time_zones(usual, zone):
    assert one_result("--clock-backwards", TZ=zone) == usual


@pytest.mark.slow
def test_nowhere_to_keep_compiled_kernels(usual, tmp_path):
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    assert one_result("--no-cache", HOME=str(home)) == usual


@pytest.mark.slow
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="takes the right to become nobody"
)
def test_an_install_that_cannot_be_written_by_a_user_without_a_home(usual):
    try:
        subprocess.run([sys.executable, "-c", ""], user=NOBODY, check=True)
    except (PermissionError, subprocess.CalledProcessError):
        pytest.skip("nobody else may run this Python; use one that is not in a home")
    found = one_result(leave_out=("XDG_CACHE_HOME",), user=NOBODY, HOME="/nonexistent")
    assert found == usual
