"""A `Result` in, what a paper must say about it out: a methods paragraph, the citation, every setting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qdtm.corpus.passage_split import PARAGRAPHS
from qdtm.embeddings.loading import vectors_for
from qdtm.recorded import from_json
from qdtm.results.corrections import summary
from qdtm.results.hand_check.hand_check import HandCheck
from qdtm.results.result import Result
from qdtm.sampler.trace import Trace

CITATION = (
    "Zheng Fang, Yulan He and Rob Procter. 2021. A Query-Driven Topic Model. In Findings of the Association "
    "for Computational Linguistics: ACL-IJCNLP 2021. arXiv:2106.07346."
)
BIBTEX = """@inproceedings{fang-etal-2021-query,
    title = "A Query-Driven Topic Model",
    author = "Fang, Zheng and He, Yulan and Procter, Rob",
    booktitle = "Findings of the Association for Computational Linguistics: ACL-IJCNLP 2021",
    year = "2021",
    eprint = "2106.07346",
    archivePrefix = "arXiv",
}"""

_EXTRACTORS = {
    "kld": "by the divergence of the retrieved documents from the corpus",
    "fre": "by frequency in the retrieved documents",
    "rel": "by a relevance model with word vectors",
}


def methods_paragraph(result: Result) -> str:
    """Return a paragraph that says what was done, ready for a paper."""
    parts = [_what(result), _concepts(result), _model(result), _sampling(result)]
    parts += [summary(result.fit, result.history), *_checks(result), _coded(result), _where(result)]
    return " ".join(part for part in parts if part)


def settings_table(result: Result) -> Iterator[tuple[str, str]]:
    """Yield every parameter, the seed, the versions and the fingerprint of the corpus, by name."""
    fit, corpus = result.fit, result.corpus
    for name, recorded in fit.parameters.items():
        value = from_json(recorded)
        yield (
            name,
            "none"
            if value is None
            else ", ".join(map(str, value))
            if isinstance(value, list)
            else str(value),
        )
    if fit.threshold is not None:
        yield "similarity threshold in use", f"{fit.threshold:.4f}"
    for concept in fit.concepts:
        yield f"rule of '{concept.name}'", concept.rule
    yield "text pipeline", _pipeline(result)
    yield "corpus", f"{corpus.n_documents:,} documents, {corpus.n_words:,} words, {corpus.n_tokens:,} tokens"
    yield "corpus fingerprint (sha256)", fit.corpus_fingerprint
    for package, version in fit.versions.items():
        yield f"version of {package}", version


def ending(trace: Trace) -> str:
    """Say how a phase ended."""
    if trace.interrupted:
        return "stopped by the user"
    if trace.is_too_short:
        return "as many as it is given, too few to tell whether it converged"
    return "converged" if trace.settled else "not converged when its sweeps were over"


def _what(result: Result) -> str:
    names = [f"“{concept.query.text or concept.name}”" for concept in result.fit.concepts]
    queries = _listed(names)
    corpus = result.corpus
    return (
        f"We analysed {corpus.n_documents:,} documents ({corpus.n_tokens:,} tokens of {corpus.n_words:,} "
        "distinct words after cleaning) with the query-driven topic model of Fang, He and Procter (2021), "
        f"asking for {queries}.{_split(result)}"
    )


def _split(result: Result) -> str:
    """Say how long documents were judged, if by passage."""
    passages, split = result.corpus.passages, result.corpus.pipeline.split_documents
    if passages is None:
        return ""
    how = "by paragraph" if split == PARAGRAPHS else f"of about {split:,} words"
    return (
        f" Documents were split into {len(passages):,} passages ({how}); a document is as relevant as the "
        "most relevant of its passages."
    )


def _listed(parts: Sequence[str]) -> str:
    """Return parts as a sentence has them: "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _concepts(result: Result) -> str:
    kinds = {concept.extractor for concept in result.fit.concepts}
    how = [_EXTRACTORS[kind] for kind in ("kld", "fre", "rel") if kind in kinds]
    retrieved = _listed([f"{concept.retrieved:,}" for concept in result.fit.concepts])
    documents = "documents were" if len(result.fit.concepts) > 1 or retrieved != "1" else "document was"
    text = f"{retrieved} {documents} retrieved by query likelihood"
    if how:
        return f"{text}, and concept words chosen {' and '.join(how)}."
    return f"{text}; concept words were our own."


def _model(result: Result) -> str:
    fit = result.fit
    priors = ", ".join(
        f"{name} = {fit.parameters[name]}" for name in ("alpha", "beta", "gamma") if name in fit.parameters
    )
    promotion = "no promotion of related words"
    if fit.threshold is not None:
        promotion = (
            f"promotion of words with a cosine above {fit.threshold:.2f} to a concept word "
            f"(weight {fit.parameters.get('promotion_weight', '?')}, "
            f"vectors “{_vectors(result)}”)"
        )
    n_subtopics = ", ".join(str(counts.shape[1]) for counts in result.as_found.subtopic_counts)
    return (
        f"A Hierarchical Dirichlet Process ({priors}) with {promotion} gave each query a parent topic beside "
        f"{fit.n_background} background topics; each parent was split into as many subtopics as the data "
        f"asked for ({n_subtopics})."
    )


def _vectors(result: Result) -> str:
    name = str(from_json(result.fit.parameters.get("embeddings", "?")))
    return vectors_for(result.corpus.pipeline.language) if name == "auto" else name


def _sampling(result: Result) -> str:
    trace, stability = result.fit.parent_trace, result.as_found.stability
    text = (
        f"Collapsed Gibbs sampling ran {trace.n_sweeps:,} sweeps for the parent topics ({ending(trace)}); "
        f"counts are averages over {trace.n_samples:,} samples."
    )
    known = [each for query in stability.queries for each in query.subtopics] if stability else []
    if stability is None or not known:
        return text
    firm = sum(each.firmness == "firm" for each in known)
    if stability.n_chains > 1:
        return f"{text} Of {len(known)} subtopics, {firm} were found in all of {stability.n_chains} runs."
    return (
        f"{text} Subtopics are groups of documents that most of {len(known[0].likeness)} runs agree on, each "
        f"over three quarters of the documents; of {len(known)}, {firm} were found in every run."
    )


def _checks(result: Result) -> Iterator[str]:
    """Yield what a person said of each query's documents."""
    for check in result.fit.checks:
        found = check.estimate()
        if check.verdicts and not (check.can_be_quoted and found.precision is not None):
            yield _few_answers(check)
        if check.can_be_quoted and found.precision is not None:
            model = result.relevance(result.query_index(check.query)).by_model
            yield (
                f"By hand we looked at {found.n_answered:,} documents, {found.n_by_chance:,} of them drawn "
                f"by chance in strata of relevance to “{check.query}”: the {found.n_above:,} most relevant "
                f"have a precision of {found.precision.as_percent()} and a recall of "
                f"{found.recall.as_percent()}, and {found.n_about.as_count()} documents are about it (95% "
                f"intervals, which allow for wrong answers); by the model, {model.as_count()} are."
            )
            yield from _people(check)


def _few_answers(check: HandCheck) -> str:
    """Say what was answered where that is too little for an estimate."""
    yes, no = (list(check.verdicts.values()).count(about) for about in ("yes", "no"))
    learned = ", and the relevance of the others learned from it" if check.is_enough else ""
    n = "one document was" if yes + no == 1 else f"{yes + no:,} documents were"
    return f"By hand {n} said to be about “{check.query}” ({yes:,}) or not ({no:,}){learned}."


def _coded(result: Result) -> str:
    """Say how much was coded by hand, if anything was."""
    codes = result.codes.codes
    documents, passages = {code.row for code in codes}, {(code.row, code.span) for code in codes if code.span}
    if not codes:
        return ""
    tags = f"{len(result.codes.book):,} tag{'' if len(result.codes.book) == 1 else 's'}"
    return (
        f"By hand {len(documents):,} document{'' if len(documents) == 1 else 's'} "
        f"({len(passages):,} passage{'' if len(passages) == 1 else 's'}) got {tags}."
    )


def _people(check: HandCheck) -> Iterator[str]:
    """Yield what was looked at twice or unsure, how far people agree, and what is certain of the rest."""
    found, agreement, certain = check.estimate(), check.agreement, check.certificate()
    twice = [answer for answer in check.answers if answer.before is not None]
    if twice:
        changed = sum(answer.before != answer.about for answer in twice)
        yield f"Of {len(twice):,} documents that we looked at twice, {changed:,} got another answer."
    if found.n_unsure:
        yield f"Of {found.n_unsure:,} nobody was sure, or people differed; intervals hold for either answer."
    if agreement.n_documents:
        yield f"{len(agreement.people)} people agree in {agreement.summary()}."
    if check.sample.audited:
        yield (
            f"With 95% confidence at most {certain.most_left:,} documents about it are among the "
            f"{certain.n_unread:,} that nobody has read: at least {certain.recall:.0%} were found."
        )


def _where(result: Result) -> str:
    fit = result.fit
    version = fit.versions.get("qdtm", "?")
    return (
        f"We used qdtm {version} with random seed {fit.parameters.get('random_state', '?')}; the corpus has "
        f"the fingerprint {fit.corpus_fingerprint[:12]}."
    )


def _pipeline(result: Result) -> str:
    steps = result.corpus.pipeline.to_json()
    stop_words = steps["stop_words"]
    steps["stop_words"] = f"{len(stop_words)} of your own" if isinstance(stop_words, list) else stop_words
    limits = steps.pop("limits")
    return ", ".join(f"{name} {value}" for name, value in {**steps, **limits}.items())
