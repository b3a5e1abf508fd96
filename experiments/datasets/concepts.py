"""What the experiments ask: the queries, rules and expert keywords of each corpus.

Out: for each corpus one `ExperimentConcept` per category, in the order of the labels: the concept at place q
belongs to the documents with label q. Phrases and keywords are those of the paper's Appendix A, letter for
letter: the typing errors there ("mopads", "propertise", "climic", "symtoms", "nbl", "turkey" twice) are the
experts' prior knowledge as the models were given it. Queries and rules are those of the authors' program,
which differs from the printed phrase three times: it asks "graphics", "sports game" and "Culture Art
Entertainment".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from qdtm.errors import ParameterError

Rule = Literal["and", "or"]

DATASETS = ("20news", "tagmynews", "searchsnippets")


@dataclass(frozen=True)
class ExperimentConcept:
    """One concept of an experiment.

    Attributes
    ----------
    query : str
        What is asked.
    rule : {"and", "or"}
        Whether a document must have all of the query's words or any of them.
    category : str
        The corpus's own name for the documents that answer the query.
    keywords : tuple of str
        The ten words of the paper's expert, as printed.
    phrase : str
        The query as the paper prints it in its tables.
    """

    query: str
    rule: Rule
    category: str
    keywords: tuple[str, ...]
    phrase: str


def concepts_of(name: str) -> tuple[ExperimentConcept, ...]:
    """Return the concepts of a corpus in the order of its labels.

    Raises
    ------
    ParameterError
        If there is no corpus of that name.
    """
    if name not in _CONCEPTS:
        raise ParameterError(f"There is no data set {name!r}. Choose one of {', '.join(DATASETS)}.")
    return _CONCEPTS[name]


def _concept(
    category: str, phrase: str, keywords: str, *, query: str | None = None, rule: Rule = "and"
) -> ExperimentConcept:
    """Write a concept down in a line or two."""
    return ExperimentConcept(query or phrase, rule, category, tuple(keywords.split()), phrase)


_CONCEPTS: dict[str, tuple[ExperimentConcept, ...]] = {
    "20news": (
        _concept(
            "alt.atheism",
            "atheism",
            "Agnosticism theism deism islam paganism moral atheist religions argument exist",
        ),
        _concept(
            "comp.graphics",
            "computer graphics",
            "image digital visual 3d 2d visualization print geometry synthesizing processing",
            query="graphics",
        ),
        _concept(
            "comp.sys.ibm.pc.hardware",
            "pc hardware",
            "cpu monitor keyboard memory card sound speakers motherboard power pc",
        ),
        _concept(
            "comp.sys.mac.hardware",
            "mac hardware",
            "touchpad touchbar drive apple mac ram gpu system sensors physical",
        ),
        _concept(
            "misc.forsale",
            "for sale",
            "product mail discount bargain shopping price sale propertise rent summer",
        ),
        _concept(
            "rec.autos",
            "automobile",
            "car vehicle transportation wheel tire road parking gasoline energy driver",
        ),
        _concept(
            "rec.motorcycles",
            "motorcycles",
            "bike scooters mopads motorbikes trowel commute helmet ride speed harley",
        ),
        _concept(
            "rec.sport.baseball",
            "baseball",
            "player ball small hit team fielding batting runs nbl baseball",
        ),
        _concept(
            "rec.sport.hockey",
            "hockey",
            "puck nhl hockey ice rink canada rubber curve skater guard",
        ),
        _concept(
            "sci.crypt",
            "encrypt",
            "encoding decryption cryptographic secure plaintext ciphertext key algorithm pseudo private",
        ),
        _concept(
            "sci.electronics",
            "electronics",
            "equipment science electricity wire console computer outlet engineering power voltage",
        ),
        _concept(
            "sci.med",
            "medicine",
            "medicine surgery hospital climic doctor nurse healthcare symtoms prescription pharmacy",
        ),
        _concept(
            "sci.space",
            "space",
            "rocket nasa astronomy explore moon outerspace spaceship telescope satellite orbit",
        ),
        _concept(
            "soc.religion.christian",
            "christian",
            "belief faith church christianity ethics culture ritual Jesus bible truth",
        ),
        _concept(
            "talk.politics.guns",
            "guns",
            "law regulation usa victim murder violence litigation debate firearms legal",
        ),
        _concept(
            "talk.politics.mideast",
            "middle east",
            "israel Iran Iraq war territory turkey attack soldier turkey government",
        ),
    ),
    "tagmynews": (
        _concept(
            "business",
            "business",
            "bank stock market business economy financial investor profit price deal",
        ),
        _concept(
            "entertainment",
            "entertainment",
            "film movie music tv theater festival actor show book hollywood",
        ),
        _concept(
            "health",
            "health",
            "drug health cancer patient disease medical hospital healthcare doctor treatment",
        ),
        _concept(
            "sci_tech",
            "technology",
            "apple google sony facebook internet mobile ipad technology microsoft phone",
        ),
        _concept(
            "sport",
            "sport game",
            "league win player team tournament game playoff sport championship point",
            query="sports game",
            rule="or",
        ),
    ),
    "searchsnippets": (
        _concept(
            "Business",
            "Business",
            "bank stock market business economy financial investor profit price deal",
        ),
        _concept(
            "Computers",
            "Computers",
            "computer software programming parallel computing memory hardware driver cpu processor",
        ),
        _concept(
            "Culture-Arts-Entertainment",
            "Culture Arts Entertainment",
            "movie music art film artist museum fashion culture imdb actor",
            query="Culture Art Entertainment",
            rule="or",
        ),
        _concept(
            "Education-Science",
            "Education Science",
            "research science journal university student education scientific mathematics theory school",
            rule="or",
        ),
        _concept(
            "Engineering",
            "Car Engineering",
            "engine electrical car wheel model automobile industrial vehicle cylinder jet",
            rule="or",
        ),
        _concept(
            "Health",
            "Health",
            "drug health cancer patient disease medical hospital healthcare doctor treatment",
        ),
        _concept(
            "Politics-Society",
            "Politics Society",
            "political party democracy government republic parliamentary representative president "
            "communist congress",
        ),
        _concept(
            "Sports",
            "Sports",
            "league football player team tournament game basketball sport hockey championship",
        ),
    ),
}
