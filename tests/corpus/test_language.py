"""Texts in another language than the one that was set are noticed, and no others."""

import warnings
from itertools import pairwise

import pytest

from qdtm import Corpus, TextPipeline
from qdtm.app.upload import preview_files
from qdtm.corpus import CorpusWarning, VocabularyLimits
from qdtm.corpus.language import N_SAMPLED, Sample, language_note
from qdtm.corpus.readers.sources import SourceFile
from qdtm.corpus.stop_word_lists import language_codes
from qdtm.errors import CorpusError

TEXTS = {
    "german": """
        Die Regierung hat am Montag beschlossen, dass die Grenzen für Flüchtlinge geöffnet werden.
        Nach dem Hochwasser wurde der Deich verstärkt, aber die Keller sind noch nicht trocken.
        Der Minister sagte, er habe davon nichts gewusst und werde nicht zurücktreten.
    """,
    "french": """
        Le gouvernement a annoncé lundi une réforme des retraites qui ne plaît pas aux syndicats.
        Après la crue, les pompiers ont aidé les habitants dans leurs maisons.
        Le ministre a dit qu'il n'était pas au courant de cette affaire.
    """,
    "spanish": """
        El gobierno anunció el lunes una reforma de las pensiones que no gusta a los sindicatos.
        Después de la inundación los bomberos ayudaron a los vecinos en sus casas.
        El ministro dijo que no sabía nada de este asunto y que no dimitirá.
    """,
    "italian": """
        Il governo ha annunciato lunedì una riforma delle pensioni che non piace ai sindacati.
        Dopo la piena i pompieri hanno aiutato gli abitanti nelle loro case.
        Il ministro ha detto che non sapeva nulla di questa storia.
    """,
    "portuguese": """
        O governo anunciou na segunda-feira uma reforma das pensões que não agrada aos sindicatos.
        Depois da cheia os bombeiros ajudaram os moradores nas suas casas.
        O ministro disse que não sabia nada deste assunto e que não vai sair.
    """,
    "dutch": """
        De regering heeft maandag een hervorming van de pensioenen aangekondigd die de vakbonden niet
        bevalt.
        Na de overstroming hielp de brandweer de bewoners in hun huizen.
        De minister zei dat hij niets van deze zaak wist en dat hij niet zal aftreden.
    """,
    "swedish": """
        Regeringen meddelade på måndagen en reform av pensionerna som facken inte tycker om.
        Efter översvämningen hjälpte brandkåren de boende i deras hus.
        Ministern sade att han inte visste något om saken och att han inte avgår.
    """,
    "danish": """
        Regeringen meddelte mandag en reform af pensionerne, som fagforeningerne ikke kan lide.
        Efter oversvømmelsen hjalp brandvæsenet beboerne i deres huse.
        Ministeren sagde, at han ikke vidste noget om sagen og ikke vil gå af.
    """,
    "norwegian": """
        Regjeringen varslet mandag en reform av pensjonene som fagforeningene ikke liker.
        Etter flommen hjalp brannvesenet beboerne i husene deres.
        Ministeren sa at han ikke visste noe om saken og at han ikke vil gå av.
    """,
    "finnish": """
        Hallitus ilmoitti maanantaina eläkeuudistuksesta, josta ammattiliitot eivät pidä.
        Tulvan jälkeen palokunta auttoi asukkaita heidän taloissaan.
        Ministeri sanoi, että hän ei tiennyt asiasta mitään eikä hän aio erota.
    """,
    "polish": """
        Rząd ogłosił w poniedziałek reformę emerytur, która nie podoba się związkom.
        Po powodzi strażacy pomagali mieszkańcom w ich domach.
        Minister powiedział, że nic nie wiedział o tej sprawie i że nie odejdzie.
    """,
    "czech": """
        Vláda v pondělí oznámila reformu důchodů, která se odborům nelíbí.
        Po povodni hasiči pomáhali obyvatelům v jejich domech.
        Ministr řekl, že o té věci nic nevěděl a že neodstoupí.
    """,
    "russian": """
        Правительство объявило в понедельник о реформе пенсий, которая не нравится профсоюзам.
        После наводнения пожарные помогали жителям в их домах.
        Министр сказал, что он ничего не знал об этом деле и не уйдёт.
    """,
    "turkish": """
        Hükümet pazartesi günü sendikaların hoşuna gitmeyen bir emeklilik reformu açıkladı.
        Selden sonra itfaiye evlerinde oturanlara yardım etti.
        Bakan bu konuda hiçbir şey bilmediğini ve istifa etmeyeceğini söyledi ama daha sonra bunun için çok
        pişman oldu.
    """,
    "arabic": """
        أعلنت الحكومة يوم الاثنين عن إصلاح في نظام التقاعد الذي لا يعجب النقابات.
        بعد الفيضان ساعد رجال الإطفاء السكان في بيوتهم.
        قال الوزير إنه لم يكن يعرف شيئا عن هذا الأمر ولن يستقيل.
    """,
    "ukrainian": """
        Уряд оголосив у понеділок про реформу пенсій, яка не подобається профспілкам.
        Після повені пожежники допомагали мешканцям у їхніх будинках, але вони ще не повернулися.
    """,
    "vietnamese": """
        Chính phủ hôm thứ hai đã công bố cải cách lương hưu mà các công đoàn không thích.
        Sau trận lụt, lính cứu hỏa đã giúp người dân trong nhà của họ.
    """,
    "catalan": """
        El govern va anunciar dilluns una reforma de les pensions que no agrada als sindicats.
        Després de la inundació els bombers van ajudar els veïns a casa seva.
    """,
    "english": """
        The government announced on Monday a reform of pensions that the unions do not like.
        After the flood the firefighters helped the residents in their houses.
        The minister said he had known nothing about it and would not resign.
    """,
}
"""News written for these tests."""

SCRIPTS = {
    "greek": (
        "Η κυβέρνηση ανακοίνωσε τη Δευτέρα μια μεταρρύθμιση των συντάξεων που δεν αρέσει στα συνδικάτα.",
        "Greek",
        "--language el",
    ),
    "korean": (
        "정부는 월요일에 노조가 좋아하지 않는 연금 개혁을 발표했다.",
        "Hangul",
        "--language ko",
    ),
    "hebrew": (
        "הממשלה הודיעה ביום שני על רפורמה בפנסיות שלא מוצאת חן בעיני האיגודים.",
        "Hebrew",
        "--language he",
    ),
    "georgian": (
        "მთავრობამ ორშაბათს საპენსიო რეფორმა გამოაცხადა, რომელიც პროფკავშირებს არ მოსწონთ.",
        "Georgian",
        "--language none",
    ),
    "chinese": (
        "政府星期一宣布了一项工会不喜欢的养老金改革。",
        "Chinese",
        "--tokenizer",
    ),
    "japanese": (
        "政府は月曜日に年金改革を発表したが、労働組合は反対している。",
        "Japanese",
        "--tokenizer",
    ),
    "thai": (
        "รัฐบาลประกาศปฏิรูปบำนาญเมื่อวันจันทร์ซึ่งสหภาพแรงงานไม่ชอบ",
        "Thai",
        "--tokenizer",
    ),
}

SHORT = ["Pension reform bill", "Flood relief act of 1998", "Minister under fire", "Union wage deal"]
KEYWORDS = ["tax budget senate poll", "fire forest smoke wind", "cricket match wicket", "música café El Niño"]


def sentences(language):
    return [line.strip() for line in TEXTS[language].strip().split(".\n")]


@pytest.mark.parametrize("language", [name for name in TEXTS if name != "english"])
def test_another_language_is_noticed_with_the_option_that_mends_it(language):
    code = language_codes()[language]
    note = language_note(sentences(language), TextPipeline())
    assert note.startswith(f"The texts seem to be {language.title()}, not English: ")
    assert f"--language {code} (in Python TextPipeline(language='{code}'))" in note


@pytest.mark.parametrize("language", TEXTS)
def test_the_language_that_was_set_raises_no_alarm(language):
    assert language_note(sentences(language), TextPipeline(language=language)) == ""
    assert language_note(sentences(language), TextPipeline(language=None)) == ""
    assert language_note(sentences(language), TextPipeline(stop_words=["own"])) == ""


@pytest.mark.parametrize("texts", [SHORT, KEYWORDS, [], ["", "12 34"]], ids=range(4))
def test_texts_without_stop_words_raise_none(texts):
    for language in ("english", "german", "french", "spanish"):
        assert language_note(texts, TextPipeline(language=language)) == ""


@pytest.mark.parametrize("language", SCRIPTS)
def test_other_letters_are_noticed(language):
    text, name, option = SCRIPTS[language]
    note = language_note([text] * 3, TextPipeline())
    assert name in note
    assert option in note


def test_a_tokenizer_is_asked_for_once():
    text = SCRIPTS["chinese"][0]
    assert "--language zh" in language_note([text], TextPipeline(tokenizer=list))
    assert language_note([text], TextPipeline(language="zh", tokenizer=list)) == ""
    assert "--tokenizer" in language_note([text], TextPipeline(language=None))


def test_a_corpus_warns_once_and_is_made_all_the_same():
    with pytest.warns(CorpusWarning, match="seem to be German") as caught:
        corpus = Corpus.from_texts(sentences("german") * 5)
    assert len(caught) == 1
    assert corpus.n_documents == 15
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Corpus.from_texts(sentences("german") * 5, pipeline=TextPipeline(language="de"))
        Corpus.from_texts(sentences("german"), like=corpus)


def test_where_nothing_is_left_the_error_says_why():
    texts = [f"{chr(0x4E00 + 9 * j)}{SCRIPTS['chinese'][0]}" for j in range(9)]
    with pytest.raises(CorpusError, match="seem to be Chinese, without spaces"):
        Corpus.from_texts(texts, pipeline=TextPipeline(limits=VocabularyLimits(min_df=2)))


def test_the_sample_is_spread_evenly():
    sample = Sample()
    texts = [str(j) for j in range(5_000)]
    assert list(sample.of(texts)) == texts
    seen = list(map(int, sample.texts))
    assert N_SAMPLED <= len(seen) < 2 * N_SAMPLED
    assert len({b - a for a, b in pairwise(seen)}) == 1
    assert seen[-1] > 4_900


def test_the_app_chooses_the_language_of_an_upload(tmp_path):
    for language, said in (("german", "german"), ("english", "english")):
        path = tmp_path / f"{language}.txt"
        path.write_text("\n".join(sentences(language)), encoding="utf-8")
        assert preview_files([SourceFile(str(path), 1, path.name)]).language == said
    path.write_text(SCRIPTS["thai"][0], encoding="utf-8")
    with pytest.warns(CorpusWarning, match="Thai"):
        assert preview_files([SourceFile(str(path), 1, path.name)]).language == "english"
