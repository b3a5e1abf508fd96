"""What all tests share: the same examples every time, on a busy machine too, and a cache of their own."""

import os
import signal

import pytest
from hypothesis import settings

from qdtm.sampler import consensus

settings.register_profile("qdtm", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("qdtm")


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    """Leave the user's cache alone, unless another one is named."""
    if not os.environ.get("QDTM_CACHE"):
        os.environ["QDTM_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c():
    """Hear Ctrl-C also where it is ignored, as in a shell's background; many tests press it."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_the_disk():
    """Check descriptors without waiting for the disk: no machine fails here, and it takes long."""
    patch = pytest.MonkeyPatch()
    patch.setattr(os, "fsync", lambda descriptor: os.fstat(descriptor) and None)
    yield
    patch.undo()


@pytest.fixture(scope="session", autouse=True)
def _small_corpora_are_split():
    """Split topics of corpora that are as small as tests need them; `few_documents` has it as it is."""
    patch = pytest.MonkeyPatch()
    patch.setattr(consensus, "FEWEST_TO_SPLIT", 1)
    yield
    patch.undo()


@pytest.fixture
def few_documents(monkeypatch):
    """Leave small corpora whole, as users see it."""
    monkeypatch.setattr(consensus, "FEWEST_TO_SPLIT", 50)


@pytest.fixture
def cold_cache(tmp_path, monkeypatch):
    """An empty cache: the background of a corpus is learned, whoever had it before."""
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "cold"))
    return tmp_path / "cold"
