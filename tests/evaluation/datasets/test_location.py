import pytest

from qdtm.errors import CorpusError
from qdtm.evaluation.datasets import find_data
from qdtm.evaluation.datasets.location import require_file


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
