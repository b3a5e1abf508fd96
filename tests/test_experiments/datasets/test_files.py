import gzip
import hashlib
import io
import urllib.error
from types import MappingProxyType

import pytest

from experiments.datasets.files import RemoteFile, find_data, obtain, require_file
from qdtm.errors import CorpusError


def test_path_goes_before_environment(monkeypatch, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    monkeypatch.setenv("QDTM_DATA", str(tmp_path / "b"))
    assert find_data(tmp_path / "a") == tmp_path / "a"
    assert find_data() == tmp_path / "b"


def test_no_folder_named_is_none(monkeypatch):
    monkeypatch.delenv("QDTM_DATA", raising=False)
    assert find_data() is None


def test_missing_folder_is_an_error(tmp_path):
    with pytest.raises(CorpusError, match=r"nowhere' does not exist\. Give an existing one with --data"):
        find_data(tmp_path / "nowhere")


def test_required_file_says_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.delenv("QDTM_DATA", raising=False)
    with pytest.raises(CorpusError, match=r"'a/b\.txt' is needed\. Name the folder"):
        require_file("a/b.txt")
    with pytest.raises(CorpusError, match=r"'a/b\.txt' is not in the data folder"):
        require_file("a/b.txt", tmp_path)


CONTENT = b"one\ntwo\n" * 20_000


class FakeResponse(io.BytesIO):
    headers = MappingProxyType({"Content-Length": str(len(CONTENT))})


def remote(name: str = "words.txt", content: bytes = CONTENT) -> RemoteFile:
    return RemoteFile(name, "https://example.org/words", hashlib.sha256(content).hexdigest())


def serve(monkeypatch, content: bytes | Exception) -> list[str]:
    """Answer every address with `content`; return the list of addresses asked for."""
    asked = []

    def urlopen(url, timeout):
        asked.append(url)
        if isinstance(content, Exception):
            raise content
        return FakeResponse(content)

    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    return asked


def test_download_is_cached_and_reports_progress(monkeypatch, cache_folder):
    asked, told = serve(monkeypatch, CONTENT), []
    path = obtain(remote(), progress=lambda *step: told.append(step))
    assert path == cache_folder / "corpora" / "words.txt"
    assert path.read_bytes() == CONTENT
    assert told[-1] == ("words.txt", len(CONTENT), len(CONTENT))
    assert len(told) > 1
    assert obtain(remote()) == path
    assert asked == ["https://example.org/words"]


def test_data_folder_goes_before_the_cache(monkeypatch, cache_folder, tmp_path):
    asked = serve(monkeypatch, CONTENT)
    (tmp_path / "data" / "corpora").mkdir(parents=True)
    (tmp_path / "data" / "corpora" / "words.txt").write_bytes(CONTENT)
    assert obtain(remote(), tmp_path / "data") == tmp_path / "data" / "corpora" / "words.txt"
    assert asked == []


def test_checksum_is_of_what_a_gz_holds(monkeypatch, cache_folder):
    serve(monkeypatch, gzip.compress(CONTENT, compresslevel=1))
    assert gzip.decompress(obtain(remote("words.gz")).read_bytes()) == CONTENT


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        ("words.txt", b"<html>moved</html>", "is not the file of the experiments: its sha256 is"),
        ("words.gz", b"<html>moved</html>", "is damaged"),
        ("words.gz", gzip.compress(CONTENT)[:-20], "is damaged"),
    ],
)
def test_wrong_content_is_refused_and_not_kept(monkeypatch, cache_folder, name, answer, message):
    serve(monkeypatch, answer)
    with pytest.raises(CorpusError, match=message):
        obtain(remote(name))
    assert list((cache_folder / "corpora").iterdir()) == []


def test_altered_file_in_the_data_folder_is_refused(cache_folder, tmp_path):
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "words.txt").write_bytes(CONTENT + b"three\n")
    with pytest.raises(CorpusError, match="is not the file of the experiments"):
        obtain(remote(), tmp_path)


def test_offline_is_one_clear_line(monkeypatch, cache_folder):
    serve(monkeypatch, urllib.error.URLError("Name or service not known"))
    with pytest.raises(CorpusError) as caught:
        obtain(remote())
    assert str(caught.value) == (
        "Cannot download words.txt from https://example.org/words (Name or service not known). "
        "Connect to the internet, or name a folder that has corpora/words.txt with --data or QDTM_DATA."
    )
    assert list((cache_folder / "corpora").iterdir()) == []
