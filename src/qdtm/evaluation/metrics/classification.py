"""Document classification: how much of a document's category its topic shares tell.

In: topic shares (D, K) and labels (D,). Out: a share of right answers. Documents with a negative label are
left out.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qdtm.errors import ParameterError

N_FOLDS = 5


def classification_accuracy(theta: ArrayLike, labels: ArrayLike, seed: int | None = 0) -> float:
    """Return the five-fold cross-validated accuracy of a logistic regression on topic shares.

    The classifier has scikit-learn's default settings, as in the paper, but for a limit of iterations high
    enough to converge; the folds are stratified.

    Parameters
    ----------
    theta : array of shape (n_docs, n_topics)
        Share of each topic in each document.
    labels : array of int, shape (n_docs,)
        Category of each document; negative where it is not known.
    seed : int or None
        Shuffles the documents before they are cut into folds; None keeps their order, as the authors' program
        does.

    Raises
    ------
    ParameterError
        If a category has fewer documents than there are folds.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    features, categories = _labelled(theta, labels)
    folds = StratifiedKFold(N_FOLDS, shuffle=seed is not None, random_state=seed)
    scores = cross_val_score(LogisticRegression(max_iter=1000), features, categories, cv=folds)
    return float(np.mean(scores))


def _labelled(theta: ArrayLike, labels: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the rows whose category is known, and the categories."""
    features, categories = np.asarray(theta, dtype=np.float64), np.asarray(labels, dtype=np.int64)
    known = categories >= 0
    names, sizes = np.unique(categories[known], return_counts=True)
    if len(names) < 2 or sizes.min() < N_FOLDS:
        raise ParameterError(
            f"Accuracy needs at least 2 categories of {N_FOLDS} documents each, "
            f"got {len(names)} of {', '.join(map(str, sizes)) or 'none'}."
        )
    return features[known], categories[known]
