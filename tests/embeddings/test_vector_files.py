"""Every format, written here by hand or by gensim, must come back; a damaged file gives one clear line."""

import gzip
import zipfile

import numpy as np
import pytest
from gensim.models import KeyedVectors

from qdtm.embeddings import npz_vectors, vector_files
from qdtm.embeddings.vector_files import read_vector_file
from qdtm.errors import EmbeddingError

WORDS = ["the", "Israel", "café", "naïve", "日本", "co-op"]
VECTORS = np.random.default_rng(0).normal(size=(len(WORDS), 7)).astype(np.float32)


def glove_lines(words=WORDS, vectors=VECTORS):
    rows = (f"{word} {' '.join(map(repr, row.tolist()))}\n" for word, row in zip(words, vectors, strict=True))
    return "".join(rows).encode()


def header(n=6, d=7):
    return f"{n} {d}\n".encode()


def gensim_file(path, binary):
    keyed = KeyedVectors(7)
    keyed.add_vectors(WORDS, VECTORS)
    keyed.save_word2vec_format(str(path), binary=binary)


def assert_everything(read):
    assert list(read.words) == WORDS
    np.testing.assert_array_equal(read.vectors, VECTORS)


def write(tmp_path, content, name="vectors.txt"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        glove_lines(),
        header() + glove_lines(),
        glove_lines().replace(b"\n", b" \r\n"),
        glove_lines().replace(b" ", b"\t"),
        gzip.compress(glove_lines()),
        gzip.compress(header() + glove_lines()),
        header() + glove_lines() + b"\n\n",
    ],
    ids=["glove", "word2vec", "spaces and crlf", "tabs", "glove.gz", "word2vec.gz", "empty lines"],
)
def test_text_formats_come_back(tmp_path, content):
    assert_everything(read_vector_file(write(tmp_path, content)))


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("compressed", [False, True])
def test_what_gensim_writes_is_read_as_gensim_reads_it(tmp_path, binary, compressed):
    path = tmp_path / ("vectors.any" + ".gz" * compressed)
    gensim_file(path, binary)

    read = read_vector_file(path)

    theirs = KeyedVectors.load_word2vec_format(str(path), binary=binary)
    assert list(read.words) == theirs.index_to_key == WORDS
    np.testing.assert_array_equal(read.vectors, theirs.vectors)


def test_binary_with_the_newlines_of_the_original_program(tmp_path):
    rows = b"".join(w.encode() + b" " + row.tobytes() + b"\n" for w, row in zip(WORDS, VECTORS, strict=True))
    assert_everything(read_vector_file(write(tmp_path, header() + rows, "vectors.bin")))


def test_binary_whose_bytes_are_all_printable_is_not_taken_for_text(tmp_path):
    row = np.full(3, 0.1, dtype=np.float32)
    read = read_vector_file(write(tmp_path, b"1 3\nword " + row.tobytes()))
    assert read.words == ("word",)
    np.testing.assert_array_equal(read.vectors[0], row)


@pytest.mark.parametrize("chunk", [1, 5, 29, 64])
def test_binary_read_in_chunks_of_any_size(tmp_path, monkeypatch, chunk):
    path = tmp_path / "vectors.bin"
    gensim_file(path, binary=True)
    monkeypatch.setattr(vector_files, "CHUNK_BYTES", chunk)
    assert_everything(read_vector_file(path))


def test_npz_with_vectors_and_quantised(tmp_path):
    np.savez(tmp_path / "plain.npz", words=np.array(WORDS), vectors=VECTORS)
    np.savez(
        tmp_path / "int8.npz", words=np.array(["a"]), q=np.array([[2, -3]], np.int8), scale=np.float16([0.5])
    )

    assert_everything(read_vector_file(tmp_path / "plain.npz"))
    assert read_vector_file(tmp_path / "int8.npz").vectors.tolist() == [[1.0, -1.5]]


@pytest.mark.parametrize("kind", ["text", "binary", "npz"])
def test_only_wanted_words_are_kept_in_any_capitals(tmp_path, kind):
    path = tmp_path / "vectors"
    if kind == "npz":
        path = tmp_path / "vectors.npz"
        np.savez(path, words=np.array(WORDS), vectors=VECTORS)
    else:
        gensim_file(path, binary=kind == "binary")

    read = read_vector_file(path, {"israel", "日本", "absent"})

    assert read.words == ("Israel", "日本")
    np.testing.assert_array_equal(read.vectors, VECTORS[[1, 4]])


def test_numbers_of_unwanted_words_are_not_parsed(tmp_path):
    path = write(tmp_path, b"a 1 2\nb nan ?\n")
    assert read_vector_file(path, {"a"}).words == ("a",)


def test_words_with_spaces_as_in_glove_840b(tmp_path):
    read = read_vector_file(write(tmp_path, b"a 1 2\n. . . 3 4\nat name@domain.com 5 6\n"))
    assert read.words == ("a", ". . .", "at name@domain.com")
    assert read.vectors.tolist() == [[1, 2], [3, 4], [5, 6]]


def test_the_first_of_a_repeated_word_counts(tmp_path):
    read = read_vector_file(write(tmp_path, b"a 1 2\nb 3 4\na 5 6\n"))
    assert read.words == ("a", "b")
    assert read.vectors.tolist() == [[1, 2], [3, 4]]


def test_invalid_utf8_in_a_word_is_not_fatal(tmp_path):
    assert read_vector_file(write(tmp_path, b"a 1 2\n\xff\xfe 3 4\n")).words[0] == "a"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"  \n\n", "is empty"),
        (b"a 1 2 3\nb 4 5\n", r"line 2 has 2 numbers, not 3"),
        (b"a 1 2\nb 3 4 5\n", r"line 2 has more than 2 numbers"),
        (b"a 1 2\nb 3 x\n", r"line 2 has a field that is not a number in the vector of 'b'"),
        (b"a 1 2\nb 3 nan\n", r"line 2 has NaN or infinity in the vector of 'b'"),
        (b"2 2\na 1 2\nb 3 -inf\n", r"line 3 has NaN or infinity"),
        (b"a 1 2\nb 3 1e60\n", r"line 2 has NaN or infinity"),
        (b"3 2\na 1 2\nb 3 4\n", r"promises 3 words and has 2; it is cut short"),
        (b"2 2\na 1 2\nb 3\n", r"line 3 has 1 numbers, not 2"),
        (b"2 0\na\nb\n", r"vectors of 0 numbers"),
        (b"2 99999\na 1\n", r"vectors of 99,999 numbers"),
        (b"Dear reader,\nthis is no file of vectors.\n", r"not a file of word vectors that qdtm knows"),
        (b"\x80\x04\x95rest of a pickle", "pickle"),
        (bytes.fromhex("ba164f2f") + b"rest", r"fastText model; give the \.vec"),
        (gzip.compress(glove_lines())[:-40], "cannot be read"),
        (b"PK\x03\x04 no archive", "cannot be read as an .npz"),
    ],
)
def test_damage_gives_one_line_with_the_place(tmp_path, content, message):
    with pytest.raises(EmbeddingError, match=message) as caught:
        read_vector_file(write(tmp_path, content))
    assert "\n" not in str(caught.value)


def test_binary_cut_short(tmp_path):
    path = tmp_path / "vectors.bin"
    gensim_file(path, binary=True)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(EmbeddingError, match="ends inside word 6 of 6"):
        read_vector_file(path)


def test_binary_with_nan(tmp_path):
    row = np.array([1.0, np.nan], dtype=np.float32)
    with pytest.raises(EmbeddingError, match="word 1 has NaN"):
        read_vector_file(write(tmp_path, b"1 2\na " + row.tobytes()))


def test_binary_without_spaces_does_not_fill_the_memory(tmp_path):
    with pytest.raises(EmbeddingError, match="longer than 4,096 bytes"):
        read_vector_file(write(tmp_path, b"5 2\n" + b"\x01" * 100_000))


def test_a_line_without_end_is_not_read_into_memory(tmp_path):
    with pytest.raises(EmbeddingError, match="line 2 is longer than 1 MB"):
        read_vector_file(write(tmp_path, b"a 1 2\n" + b"b 3 4 " * 300_000))


def test_a_file_of_another_language(tmp_path):
    with pytest.raises(EmbeddingError, match="none of the words of this corpus"):
        read_vector_file(write(tmp_path, glove_lines()), {"mot"})


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"vectors": VECTORS}, "lacks the array"),
        ({"words": np.array(WORDS)}, "lacks the array"),
        ({"words": np.array(WORDS[1:]), "vectors": VECTORS}, "5 words and an array of shape"),
        ({"words": np.array(WORDS, dtype=object), "vectors": VECTORS}, "cannot be read as an .npz"),
        ({"words": np.array([WORDS]), "vectors": VECTORS}, "must be a list of strings"),
        ({"words": np.array(WORDS), "vectors": VECTORS * np.nan}, "NaN or infinity for the word 'the'"),
    ],
)
def test_a_wrong_npz(tmp_path, arrays, message):
    np.savez(tmp_path / "wrong.npz", **arrays)
    with pytest.raises(EmbeddingError, match=message):
        read_vector_file(tmp_path / "wrong.npz")


def claim(archive, name, dtype, shape, content=b""):
    """Write an array into an archive whose header says what it is, and whose content need not be so."""
    with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
        header = {"descr": dtype, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        file.write(content)


@pytest.mark.parametrize(
    ("words", "vectors", "message"),
    [
        (("<U5", (10**12,)), ("<f4", (10**12, 300)), "cut short"),
        (("<U5", (2,)), ("<f4", (2, 10**9)), "vectors of 1,000,000,000 numbers"),
        (("<U1000000", (2,)), ("<f4", (2, 3)), "words of 1,000,000 characters"),
        (("<U0", (2,)), ("<f4", (2, 3)), "words of 0 characters"),
        (("|S5", (2,)), ("<f4", (2, 3)), "must be a list of strings"),
        (("<U5", (2,)), ("<c8", (2, 3)), "must be numbers"),
        (("<U5", (2,)), ("<f4", (-2, 3)), "an array of shape"),
    ],
)
def test_an_npz_that_lies_about_its_size(tmp_path, words, vectors, message):
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        claim(archive, "words", *words, content=b"\0" * 400)
        claim(archive, "vectors", *vectors, content=b"\0" * 400)
    with pytest.raises(EmbeddingError, match=message) as caught:
        read_vector_file(tmp_path / "x.npz", {"fire"})
    assert "\n" not in str(caught.value)


def test_words_of_an_npz_that_are_no_characters(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        claim(archive, "words", "<U1", (1,), b"\xff\xff\xff\xff")
        claim(archive, "vectors", "<f4", (1, 1), b"\0" * 4)
    with pytest.raises(EmbeddingError, match="no character"):
        read_vector_file(tmp_path / "x.npz")


def test_an_npz_is_read_in_blocks_and_by_columns_too(tmp_path, monkeypatch):
    monkeypatch.setattr(npz_vectors, "_BLOCK_BYTES", 1)
    np.savez(tmp_path / "rows.npz", words=np.array(WORDS), vectors=VECTORS)
    np.savez(tmp_path / "columns.npz", words=np.array(WORDS), vectors=np.asfortranarray(VECTORS))
    for name in ("rows", "columns"):
        assert_everything(read_vector_file(tmp_path / f"{name}.npz"))


@pytest.mark.parametrize("name", ["x.npz", "x.vec.gz"])
def test_what_unpacks_to_very_much(tmp_path, monkeypatch, name):
    monkeypatch.setattr(npz_vectors, "FREE_BYTES", 2**20)
    path = tmp_path / name
    if name == "x.npz":
        np.savez_compressed(
            path, words=np.array(["fire"] * 5_000), vectors=np.zeros((5_000, 100), np.float32)
        )
    else:
        path.write_bytes(gzip.compress((b"fire " + b"0 " * 99 + b"0\n") * 10_000))
    with pytest.raises(EmbeddingError, match="more than 50 times its size"):
        read_vector_file(path, {"fire"})


def test_a_zip_of_text_names_the_way_out(tmp_path):
    with zipfile.ZipFile(tmp_path / "glove.zip", "w") as archive:
        archive.writestr("glove.txt", glove_lines())
    with pytest.raises(EmbeddingError, match="unzip it"):
        read_vector_file(tmp_path / "glove.zip")
