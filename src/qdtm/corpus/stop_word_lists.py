"""A language in, its stop words out.

The lists come from the `stop-words` package. Some of them were gathered from search engines and web pages and
hold words that people do ask about: the English one has "fire", "state", "system", "research" and "world". A
query word that silently vanishes is worse than a dull word in a topic, so those are taken out here: what
stays is function words, the verbs and adverbs of reporting, and the most general nouns ("thing", "way",
"year").
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cache

from qdtm.errors import ParameterError

# Words of the package's lists that carry meaning of their own.
_CONTENT_WORDS = {
    "english": """
        aboard abroad absent act ad adopted ai announce area areas arpa backed backing bill billion bottom
        buy call caption case cases cause causes changes click close computer con copy cry dare date
        detail downing effect empty face faces fact facts fill fire fix free front general gm goods gp
        group grouped grouping groups haven hell help high higher highest hk home homepage hr ill
        important index information inner interest interests invention iq join keys kind length line long
        low lower man member members men microsoft mid mil mill million mine minus miss move mp mug net
        netscape novel null nz old older oldest open order ordered orders page pages past present prior
        pro problem problems proud research results right ring room rooms run save sec section self
        sensible serious shed shell side sides significant sincere site small smaller smallest state
        states stop system test text thick thin thousand tip trillion tv uk un value vice web webpage
        website welcome wells width won wonder words work worked working works world young younger
        youngest""",
    "french": "droite essai force mine mot nom parole personne personnes pièce point sujet valeur voie état",
    "italian": "comprare doppio gente lavoro nome persone promesso",
    "portuguese": """
        caminho cara corrente desligado direita estado horas ligado nome parte pegar povo tempo tipo trabalhar
        trabalho usa valor verdade verdadeiro""",
    "russian": "день жизнь люди миллионов мира процентов тысяч человек время",
    "spanish": """
        cuenta empleais emplean emplear empleas empleo estado estados fuerza parte poder sentido sentidos
        tiempo trabaja trabajais trabajamos trabajan trabajar trabajas trabajo usa valor verdad verdadera
        verdadero""",
    "swedish": "beslut beslutat beslutit dag dagar dagarna dagen höger rätt vänster vänstra",
}

# What the English list lacks: the halves of contractions, spoken forms, and the rest of the reporting verbs.
_MORE_WORDS = {
    "english": """
        ain hadn mightn mustn needn shan gonna gotta kinda wanna y'all o'clock told
        thirteen fourteen sixteen seventeen eighteen nineteen""",
    # The package has single characters only.
    "chinese": """
        我们 你们 他们 她们 它们 咱们 自己 大家 别人 这个 那个 这些 那些 这样 那样 这里
        那里 这种 那种 这么 那么 什么 怎么 怎样 为什么 哪里 哪些 哪个 多少 因为 所以 因此
        但是 可是 不过 然而 如果 虽然 尽管 即使 而且 或者 以及 并且 然后 于是 还是 还有
        只有 只是 就是 不是 而是 也是 都是 已经 曾经 正在 将要 可以 可能 应该 能够 必须
        没有 不会 不能 不要 一个 一些 一种 一样 一直 一定 其中 其他 其它 其实 对于 关于
        由于 通过 根据 按照 随着 为了 除了 非常 十分 比较 更加 特别 尤其 现在 目前 之后
        之前 以后 以前 时候 同时 当时 此外 另外 例如 比如 等等 以来 以上 以下 之间 之一
        来说 而言 我們 你們 他們 她們 它們 這個 那個 這些 這樣 那樣 這裡 那裡 這種 那種
        這麼 那麼 什麼 怎麼 為什麼 因為 雖然 儘管 沒有 還是 還有 不會 已經 應該 能夠 必須
        對於 關於 由於 通過 根據 隨著 為了 現在 之後 以後 時候 當時""",
}

# The package's Turkish list was decoded as Latin-1 and is Latin-5.
_TURKISH = str.maketrans("ýþðÝÞÐ", "ışğİŞĞ")


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language, in lower case.

    Parameters
    ----------
    language : str
        A name or an ISO code: `"english"`, `"en"`, `"de"`.

    Returns
    -------
    frozenset of str
        To be used as it is, or combined: `stop_words("english") | {"mr"}`.

    Examples
    --------
    >>> "would" in stop_words("en"), "fire" in stop_words("en")
    (True, False)
    """
    from stop_words import get_stop_words

    name = language_name(language)
    words = {word.translate(_TURKISH) if name == "turkish" else word for word in get_stop_words(name)}
    words = {word.lower().replace("’", "'") for word in words}
    words |= set(_MORE_WORDS.get(name, "").split())
    return frozenset(words - set(_CONTENT_WORDS.get(name, "").split()))


def with_own_words(words: Iterable[str], language: str | None) -> frozenset[str]:
    """Return the stop words of a language (None: of none) and words of the user's.

    In English these leave with their plurals, or their singulars: whoever is tired of "company" does not want
    "companies", which become the same word.

    Examples
    --------
    >>> sorted(with_own_words(["company", "AG"], "en") - stop_words("en"))
    ['ag', 'companies', 'company']
    """
    from qdtm.corpus.lemmas import number_forms

    own = {word.strip().lower().replace("’", "'") for word in words}
    name = None if language is None else language_name(language)
    if name == "english":
        own |= {form for word in own for form in number_forms(word)}
    return frozenset(own) if name is None else stop_words(name) | own


@cache
def language_codes() -> Mapping[str, str]:
    """Return the ISO code of each language that has stop words, by its name."""
    from stop_words import LANGUAGE_MAPPING

    return {str(name): str(code) for code, name in sorted(LANGUAGE_MAPPING.items(), reverse=True)}


@cache
def language_name(language: str) -> str:
    """Return the full English name, in lower case, of a language given by its name or code.

    Raises
    ------
    ParameterError
        If there are no stop words for it; the message lists the languages there are.
    """
    from stop_words import LANGUAGE_MAPPING

    wanted = str(language).strip().lower()
    names = sorted(set(LANGUAGE_MAPPING.values()))
    for candidate in (wanted, wanted.replace("_", "-").split("-")[0]):  # "en-GB" is English
        if candidate in names:
            return candidate
        if candidate in LANGUAGE_MAPPING:
            return str(LANGUAGE_MAPPING[candidate])
    closest = difflib.get_close_matches(wanted, names, n=1)
    hint = f"Closest: {closest[0]!r}. " if closest else ""
    raise ParameterError(
        f"There are no stop words for language {language!r}. {hint}Known: {', '.join(names)}; "
        "or use language=None with stop words of your own."
    )
