"""A language in, its stop words out.

The lists come from the `stop-words` package. Some of them were gathered from search engines and web pages and
hold words that people do ask about: the English one has "fire", "state", "system", "research" and "world". A
query word that silently vanishes is worse than a dull word in a topic, so those are taken out here: what
stays is function words, the verbs and adverbs of reporting, and the most general nouns ("thing", "way",
"year").
"""

from __future__ import annotations

import difflib
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
