"""Files, texts or tokens in, a `Corpus` out."""

from qdtm.corpus.corpus import Corpus, EncodedDocuments
from qdtm.corpus.demo import load_demo_corpus
from qdtm.corpus.document_store import Document, DocumentStore
from qdtm.corpus.lemmas import noun_lemma
from qdtm.corpus.readers.records import CorpusWarning, ReadOptions, Record
from qdtm.corpus.stop_word_lists import stop_words
from qdtm.corpus.text import TextPipeline
from qdtm.corpus.vocabulary import VocabularyLimits

__all__ = [
    "Corpus",
    "CorpusWarning",
    "Document",
    "DocumentStore",
    "EncodedDocuments",
    "ReadOptions",
    "Record",
    "TextPipeline",
    "VocabularyLimits",
    "load_demo_corpus",
    "noun_lemma",
    "stop_words",
]
