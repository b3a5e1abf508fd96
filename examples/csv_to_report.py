"""From a table of your own to a report: read a .csv, check the query, fit, write the report and the tables.

python examples/csv_to_report.py                      # makes a small table of letters first
python examples/csv_to_report.py letters.csv water    # yours: the file, then the query
"""

import csv
import random
import sys
from pathlib import Path

from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.queries import check_query

SUBJECTS = {
    "flood": "river water flood bridge cellar rain dam street pump level",
    "drinking": "water tap drinking pipe taste filter well glass bottle chlorine",
    "traffic": "bus tram road bicycle parking driver signal junction noise night",
    "school": "school teacher pupil class lesson playground lunch parent exam library",
}


def make_letters(path: Path, n: int = 240) -> None:
    """Write letters to a town, made up, with a date and a district."""
    rng = random.Random(1)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "date", "district", "letter"])
        for number in range(n):
            year = 2019 + number % 5
            floods = year == 2021  # the year of the flood
            subject = rng.choices(list(SUBJECTS), weights=[6 if floods else 1, 2, 2, 2])[0]
            words = rng.choices(SUBJECTS[subject].split(), k=9)
            words += rng.choices(["town", "people", "year", "week"], k=3)
            district = rng.choice(["North", "South"] if subject != "flood" else ["South", "South", "North"])
            date = f"{year}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
            writer.writerow([f"letter-{number + 1}", date, district, " ".join(words)])


def main(path: str = "", query: str = "water") -> None:
    """Do the whole job."""
    if not path:
        path = "letters.csv"
        make_letters(Path(path))

    # 1. Read. Column names are found; here they are given. All other columns are kept for the report.
    corpus = Corpus.read(path, text_column="letter" if Path(path).name == "letters.csv" else None)
    print(corpus)

    # 2. Can the corpus answer?
    check = check_query(corpus, query)
    print(f"{query!r}: {check.verdict}. {check.reason}")

    # 3. Fit: one parent topic, and as many subtopics as the letters ask for.
    model = QueryDrivenTopicModel(query, random_state=0, min_sweeps=30, max_sweeps=60)
    model.fit(corpus)
    for topic in model.topics_[0].subtopics:
        print(topic.id, f"{topic.prevalence:.1%}", ", ".join(topic.label_words))

    # 4. Name what you have understood, and say which columns are dates and groups.
    if model.topics_[0].subtopics:
        model.set_topic_labels({"0.1": f"largest part of {query}"})
    columns = corpus.documents.field_names
    model.set_columns(
        time_column="date" if "date" in columns else None,
        group_column="district" if "district" in columns else None,
    )

    # 5. Take away: the model, the report, a workbook.
    model.save("result", force=True)
    print("report:", model.report("result/report.html"))
    print("tables:", model.export("result.xlsx", "xlsx", force=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
