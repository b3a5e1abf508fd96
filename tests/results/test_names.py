"""Names of subtopics: a phrase where there is one, else two words; none twice."""

from qdtm.results.topics import name_subtopics


def test_a_phrase_names_a_subtopic():
    assert name_subtopics([["cave", "tora bora", "hunt"], ["vote", "party", "law"]]) == [
        "tora bora",
        "vote, party",
    ]


def test_words_that_say_the_same_are_not_both_in_a_name():
    assert name_subtopics([["jew", "jewish", "israel"]]) == ["jew, israel"]
    assert name_subtopics([["atheist", "atheism", "belief"]]) == ["atheist, belief"]


def test_no_two_siblings_have_one_name():
    names = name_subtopics(
        [["bin laden"], ["bin laden", "cave"], ["bin laden", "cave"], ["bin laden", "cave"], []]
    )
    assert len(set(names)) == 5
    assert names[0] == "bin laden"


def test_a_phrase_far_down_does_not_name():
    assert name_subtopics([["a1", "b2", "c3", "d4", "e5 f6"]]) == ["a1, b2"]
