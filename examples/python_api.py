"""The Python API in depth, on the news articles that come along.

    python examples/python_api.py

In a notebook, end a cell with `model`, `model.topics_[0]` or `model.explain(...)` to see them drawn; give
`progress=ProgressBar()` to watch the fit.
"""

from qdtm import ProgressBar, Query, QueryDrivenTopicModel, Result
from qdtm.corpus import load_demo_corpus


def main() -> None:
    """Ask two things, look at the answer from all sides, save it and load it again."""
    corpus = load_demo_corpus()

    # Queries: a text, or a Query with words of your own added, dropped or excluded.
    queries = ["cricket", Query("asylum seekers", add=("refugee",), drop=("australia",))]
    settings = {"random_state": 0, "min_sweeps": 30, "max_sweeps": 60}
    model = QueryDrivenTopicModel(queries, **settings, progress=ProgressBar())
    theta = model.fit_transform(corpus)
    print("shares of documents in topics:", theta.shape)

    # Concept words, with the documents that support them.
    for word in model.concepts_[0].words[:3]:
        ids = [document.id for document in corpus.documents.select(word.documents[:2])]
        print(f"{word.word}: score {word.score:.3f}, from the {word.origin}, supported by {', '.join(ids)}")

    # Topics and subtopics.
    for topic in model.topics_:
        print(topic)
        for subtopic in topic.subtopics:
            print("  ", subtopic)
    print(model.get_topic_info().head(4).to_string(max_colwidth=40))

    # Documents, and why one is there.
    best = model.documents("cricket", n=3)
    print(best)
    explanation = model.explain(best[0].id, "cricket")
    print(explanation)
    for token in sorted(explanation.tokens, key=lambda token: -token.share)[:5]:
        pulled = f", pulled in by {token.pulled_by}" if token.pulled_by else ""
        print(f"  {token.written}: {token.share:.1%} of the relevance, topic {token.topic}{pulled}")

    # Groups (or `topics_over_time`, if there is a column of dates), with 95 % intervals.
    trends = model.topics_per_class("collection")
    print(trends.to_frame().query("topic == '0'")[["bin", "share", "low", "high"]].to_string(index=False))

    # Names, saving, loading; new documents.
    model.set_topic_labels({"0": "the game of cricket"})
    model.save("news", force=True)
    loaded = QueryDrivenTopicModel.load("news")
    print(loaded.topics_[0].name, loaded.transform(["The bowler took four wickets."])[0, 0].round(2))

    # The same without the estimator: what the report, the figures and the exports are made of.
    result = Result.load("news")
    print(result)
    figure = model.visualize_barchart("cricket")
    print(figure.layout.title.text)


if __name__ == "__main__":
    main()
