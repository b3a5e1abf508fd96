"""Texts in the encodings of the world before UTF-8: read right, or said to be in doubt."""

import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from qdtm.corpus import CorpusWarning, ReadOptions
from qdtm.corpus.readers.encoding import find_encoding
from qdtm.corpus.readers.read import read_records

RUSSIAN = (
    "Городской совет обсудил ремонт моста через реку. Жители просят открыть движение до осени, но "
    "инженеры говорят, что опоры нужно укрепить. В школе прошёл концерт. Цены на хлеб снова выросли."
)
CHINESE = (
    "市议会昨天讨论了河上大桥的维修计划。居民希望在秋天之前恢复通车,但是工程师说桥墩必须先加固。"
    "学校里举行了音乐会,家长和老师都来了。面包的价格又上涨了。"
)
TAIWANESE = (
    "市議會昨天討論了河上大橋的維修計畫。居民希望在秋天之前恢復通車,但是工程師說橋墩必須先加固。"
    "學校裡舉行了音樂會,家長和老師都來了。麵包的價格又上漲了。"
)
JAPANESE = (
    "市議会は昨日、川にかかる橋の修理について話し合った。住民は秋までに通行できるようにしてほしいと求めている。"
    "学校ではコンサートが開かれ、保護者と先生が集まった。パンの値段がまた上がった。"
)
KOREAN = (
    "시의회는 어제 강을 건너는 다리의 보수 계획을 논의했다. 주민들은 가을 전에 통행을 다시 열어 달라고 "
    "요청했다. 학교에서는 음악회가 열려 학부모와 교사가 모였다. 빵값이 또"
    " 올랐다."
)
ENGLISH = (
    "The council met at the café on Monday. “It is a naïve plan,” said Señor Núñez – and he wasn’t "
    "alone. The bridge stays closed until autumn, and the piers need work before anybody may cross it"
    " again."
)
FRENCH = (
    "Le conseil municipal a débattu hier de la réparation du pont. Les élèves préfèrent la vieille "
    "école, où l'été était gai, disent-ils. Les ingénieurs répondent que les piliers doivent être "
    "renforcés. Ça coûte cher."
)
GERMAN = (
    "Der Gemeinderat hat gestern über die Brücke gesprochen. Die Bürger möchten, dass sie vor dem "
    "Herbst geöffnet wird; größere Schäden müssen geprüft werden. Das Brot ist schon wieder teurer "
    "geworden."
)
SPANISH = (
    "El concejo municipal discutió ayer la reparación del puente. ¿Cuándo estará abierto? Los niños "
    "vuelven mañana a la escuela; según los ingenieros, habrá más retrasos. El pan está más caro que "
    "en otoño."
)
ITALIAN = (
    "Il consiglio comunale ha discusso ieri la riparazione del ponte. Perché è chiuso da così tanto "
    "tempo? La città non può più aspettare; già in autunno sarà necessario rinforzare i piloni."
)
DANISH = (
    "Byrådet drøftede i går reparationen af broen over åen. Borgerne ønsker, at den åbner før "
    "efteråret, men ingeniørerne siger, at pillerne først må forstærkes. Brødet er blevet dyrere."
)
POLISH = (
    "Rada miejska omówiła wczoraj naprawę mostu na rzece. Mieszkańcy proszą, żeby ruch został "
    "wznowiony przed jesienią, ale inżynierowie mówią, że należy wzmocnić filary. W szkole odbył się "
    "koncert. Chleb znów zdrożał."
)
CZECH = (
    "Městská rada včera projednala opravu mostu přes řeku. Obyvatelé žádají, aby byl provoz obnoven "
    "do podzimu, ale inženýři říkají, že pilíře je třeba zpevnit. Ve škole se konal koncert, na který"
    " přišli rodiče."
)
GREEK = (
    "Το δημοτικό συμβούλιο συζήτησε χθες την επισκευή της γέφυρας. Οι κάτοικοι ζητούν να ανοίξει πριν"
    " από το φθινόπωρο, αλλά οι μηχανικοί λένε ότι πρέπει να ενισχυθεί."
)
HEBREW = "מועצת העיר דנה אתמול בתיקון הגשר מעל הנהר. התושבים מבקשים לפתוח אותו לפני הסתיו."
ARABIC = "ناقش مجلس المدينة أمس إصلاح الجسر فوق النهر. يطلب السكان فتح الطريق قبل الخريف."

CASES = [
    *((RUSSIAN, name) for name in ("cp1251", "koi8-r", "cp866", "iso8859-5")),
    (CHINESE, "gb18030"), (CHINESE, "gbk"), (TAIWANESE, "big5"), (JAPANESE, "shift_jis"),
    (JAPANESE, "euc_jp"), (KOREAN, "euc-kr"),
    *((text, name) for text in (FRENCH, GERMAN, SPANISH) for name in ("cp1252", "latin-1", "mac-roman")),
    (ENGLISH, "cp1252"), (ENGLISH, "mac-roman"), (ITALIAN, "latin-1"), (DANISH, "cp1252"),
    (GERMAN, "cp850"), (POLISH, "iso8859-2"), (POLISH, "cp1250"), (CZECH, "iso8859-2"), (CZECH, "cp1250"),
    (GREEK, "cp1253"), (HEBREW, "cp1255"), (ARABIC, "cp1256"),
]  # fmt: skip


def texts(path: Path) -> list[str]:
    return [record.text for record in read_records(path, ReadOptions())]


@pytest.mark.parametrize(("text", "encoding"), CASES)
@pytest.mark.parametrize("n_lines", [1, 20, 700])
def test_a_paragraph_is_read_right_once_or_often(tmp_path, text, encoding, n_lines):
    path = tmp_path / "news.txt"
    path.write_bytes(f"{text}\n".encode(encoding) * n_lines)
    with pytest.warns(CorpusWarning, match="is not UTF-8.* was read as .*--encoding, in Python encoding="):
        assert texts(path) == [text] * n_lines


@pytest.mark.parametrize(("text", "encoding"), CASES)
def test_a_table_is_read_right(tmp_path, text, encoding):
    rows = "".join(f'{row},"{text}",{1990 + row}\n' for row in range(12))
    path = tmp_path / "news.csv"
    path.write_bytes(f"id,text,year\n{rows}".encode(encoding))
    with pytest.warns(CorpusWarning, match="is not UTF-8.* was read as "):
        assert texts(path) == [text] * 12


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [RUSSIAN, CHINESE, KOREAN, GREEK, FRENCH])
def test_utf16_needs_no_mark(tmp_path, text, encoding):
    path = tmp_path / "news.txt"
    path.write_bytes(f"{text}\n{text}\n".encode(encoding))
    assert texts(path) == [text, text]


@pytest.mark.parametrize("data", [b"one\0two\n", b"one\0 two\0 three\n" * 9, b"\0" * 64, b"a\0b"])
def test_nul_bytes_alone_are_not_utf16(tmp_path, data):
    path = tmp_path / "news.txt"
    path.write_bytes(data)
    assert find_encoding(path).name == "utf-8"


@pytest.mark.parametrize(
    ("text", "encoding"), [("Привет", "cp1251"), ("über", "mac-roman"), ("mañana", "latin-1"), ("橋", "big5")]
)
def test_few_bytes_leave_it_in_doubt(tmp_path, text, encoding):
    path = tmp_path / "news.txt"
    path.write_bytes(f"A bridge, {text}.\n".encode(encoding))
    found = find_encoding(path)
    assert found.name in ("cp1252", "latin-1")
    assert "doubtful" in found.note


def test_plain_lines_before_the_first_letter_that_tells_do_not_hide_it(tmp_path):
    path = tmp_path / "news.csv"
    path.write_bytes(b"id,text\n" + b"1,a plain line\n" * 50_000 + f"2,{RUSSIAN}\n".encode("cp1251"))
    assert find_encoding(path).name == "cp1251"


def test_a_byte_that_windows_1252_lacks_may_come_late(tmp_path):
    path = tmp_path / "news.txt"
    path.write_bytes(f"{FRENCH}\n".encode("cp1252") * 1_000 + b"\x81\n")
    assert find_encoding(path).name == "latin-1"


def test_bytes_that_the_encoding_lacks_are_replaced_further_on(tmp_path):
    path = tmp_path / "news.txt"
    path.write_bytes(f"{CHINESE}\n".encode("gb18030") * 1_000 + b"\xff\n")
    with pytest.warns(CorpusWarning, match="read as gb18030"):
        assert texts(path)[-1] == "\ufffd"


def test_one_line_without_end_is_cut_between_characters(tmp_path):
    path = tmp_path / "news.txt"
    path.write_bytes(f"{JAPANESE}, ".encode("shift_jis") * 2_000)
    assert find_encoding(path).name == "cp932"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the processor")
def test_a_long_word_is_passed_over_once(tmp_path):
    """Two million bytes are nothing; a pattern that looks at their square takes hours."""
    path = tmp_path / "word.txt"
    path.write_bytes(b"\xe4" * 2**21 + b",")
    code = (
        "import resource, sys; from pathlib import Path; from qdtm.corpus.readers import encoding\n"
        "encoding._SAMPLE_BYTES = 2**22\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (60, 60))\n"
        "print(len(encoding._sample(Path(sys.argv[1]))))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{2**21 + 1}\n")


def test_a_large_file_takes_little_memory(tmp_path):
    path = tmp_path / "news.txt"
    path.write_bytes(f"{RUSSIAN}\n".encode("koi8-r") * 300_000)
    assert path.stat().st_size > 50e6
    tracemalloc.start()
    assert find_encoding(path).name == "koi8-r"
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 * 2**20
