"""Golden vectors for the collaborative baselines: item-kNN, RP3β, BM25 and EASE on small random worlds.

    python3 reference/baselines.py            writes reference/golden/baselines.json
    python3 reference/baselines.py --check    recomputes and compares

Histories go in as lists of events, with repeats and with users who did nothing; X is built dense by a loop over them. Cosines are taken
column by column. EASE is not computed by its closed form: each column of B is a ridge regression of its own, solved by least squares on
stacked rows (√λ·I below X), which is the problem that the closed form claims to solve; the closed form is asserted to agree.

u users, n items, s the shrinkage, λ the ridge.
"""

import math
import random

import numpy as np

from goldenfile import case, main, matrix


def world(name, users, n, density, half_stars=True):
    """Events (item, rating) of each user in time order. Items of high index are rarer, the last is never met; every fifth user is empty."""
    stream = random.Random(name)
    histories = []
    for user in range(users):
        events = []
        if user % 5 != 3:
            for item in range(n - 1):
                if stream.random() < density * (1 - 0.8 * item / n):
                    for _ in range(2 if stream.random() < 0.2 else 1):  # a repeat, with a rating of its own
                        rating = stream.randint(1, 10) / 2 if half_stars else stream.randint(-40, 40) / 8
                        events.append((item, rating))
            stream.shuffle(events)
        histories.append(events)
    return histories


def dense(histories, n, values):
    """X (u, n): the last event of a user with an item counts."""
    X = np.zeros((len(histories), n))
    for user, events in enumerate(histories):
        for item, rating in events:
            X[user, item] = rating if values == "ratings" else 1
    return X


def inputs(histories, n, **options):
    items = [[item for item, _ in events] for events in histories]
    ratings = [[float(rating) for _, rating in events] for events in histories]
    return {"itemCount": n, "items": items, "ratings": ratings, **options}


# --- Item-kNN ---------------------------------------------------------------------------------------------------------


def knn_case(name, histories, n, values, shrinkage, user_weight=0.0):
    """S_ij = x_i·x_j / (‖x_i‖‖x_j‖ + s), over the items that were met; rows of X times n_u^−a/2, and s times the mean of a square then."""
    X = dense(histories, n, values)
    options = {"values": values, "shrinkage": shrinkage}
    if user_weight > 0:
        counts = (X != 0).sum(1)
        X = X * np.where(counts > 0, np.maximum(counts, 1.0) ** (-user_weight / 2), 0.0)[:, None]
        shrinkage = shrinkage * (X**2).sum() / (X != 0).sum()
        options["userLengthExponent"] = user_weight
    met = [i for i in range(n) if any(item == i for events in histories for item, _ in events)]
    S = np.zeros((len(met), len(met)))
    for a, i in enumerate(met):
        for b, j in enumerate(met):
            length = np.linalg.norm(X[:, i]) * np.linalg.norm(X[:, j]) + shrinkage
            S[a, b] = X[:, i] @ X[:, j] / length if length > 0 else 0
    return case("itemKnn", name, inputs(histories, n, **options), {"items": met, "S": matrix(S)})


def knn_cases():
    small = world("knn-small", 12, 7, 0.5)
    yield knn_case("binary", small, 7, "binary", 0.0)
    yield knn_case("ratings", small, 7, "ratings", 0.0)
    wide = world("knn-wide", 15, 30, 0.25)
    yield knn_case("binary-shrunk", wide, 30, "binary", 10.0)
    yield knn_case("ratings-shrunk", wide, 30, "ratings", 2.5)
    yield knn_case("signed-ratings", world("knn-signed", 20, 9, 0.6, half_stars=False), 9, "ratings", 0.0)
    zeros = [[(0, 0.0), (1, 2.0)], [(0, 0.0)], [], [(2, 1.0), (1, 1.5)]]
    yield knn_case("ratings-of-zero", zeros, 3, "ratings", 0.0)
    yield knn_case("users-weighted", wide, 30, "binary", 10.0, 0.5)


# --- Walks and BM25 ---------------------------------------------------------------------------------------------------


def walk_case(name, histories, n, alpha, beta):
    """Steps of a walk: from an item to its users, from a user to each item with n_u^−α; a candidate loses n_j^β."""
    X = dense(histories, n, "binary")
    met = [i for i in range(n) if X[:, i].any()]
    X = X[:, met]
    counts = np.maximum(X.sum(1), 1.0)
    S = X.T @ np.diag(counts**-alpha) @ X / X.sum(0)[None, :] ** beta
    return case("rp3beta", name, inputs(histories, n, alpha=alpha, beta=beta), {"items": met, "S": matrix(S)})


def bm25_case(name, histories, n, k1, b):
    """Products of rows of BM25's weights: items are the documents, the users who met them their words. The query's length is left out."""
    X = dense(histories, n, "binary")
    met = [i for i in range(n) if X[:, i].any()]
    D = X[:, met].T  # items x users
    idf = np.log(len(D)) - np.log1p(D.sum(0))
    length = (k1 + 1) / (k1 * (1 - b + b * D.sum(1) / D.sum(1).mean()) + 1)
    S = (D * idf**2) @ D.T * length[None, :]
    return case("bm25", name, inputs(histories, n, k1=k1, b=b), {"items": met, "S": matrix(S)})


def neighbor_cases():
    small = world("knn-small", 12, 7, 0.5)
    wide = world("knn-wide", 15, 30, 0.25)
    yield walk_case("plain", small, 7, 1.0, 0.0)
    yield walk_case("against-the-popular", wide, 30, 0.5, 0.6)
    yield bm25_case("usual", small, 7, 1.2, 0.75)
    yield bm25_case("short", wide, 30, 0.5, 0.1)


# --- EASE -------------------------------------------------------------------------------------------------------------


def ease_case(name, histories, n, lam, min_events, max_items):
    X = dense(histories, n, "binary")
    counts = X.sum(0)
    chosen = sorted((i for i in range(n) if counts[i] >= min_events), key=lambda i: (-counts[i], i))[:max_items]
    items = sorted(chosen)
    X = X[:, items]
    m = len(items)
    B = np.zeros((m, m))
    for j in range(m):
        others = [i for i in range(m) if i != j]
        A = np.vstack([X[:, others], math.sqrt(lam) * np.eye(m - 1)])
        y = np.concatenate([X[:, j], np.zeros(m - 1)])
        B[others, j] = np.linalg.lstsq(A, y, rcond=None)[0]
    P = np.linalg.inv(X.T @ X + lam * np.eye(m))
    closed = -P / np.diag(P)
    np.fill_diagonal(closed, 0)
    assert np.abs(closed - B).max() < 1e-12
    options = {"lambda": lam, "minEvents": min_events, "maxItems": max_items}
    return case("ease", name, inputs(histories, n, **options), {"items": items, "B": matrix(B)})


def ease_cases():
    yield ease_case("small", world("ease-small", 14, 8, 0.6), 8, 2.0, 1, 8000)
    yield ease_case("heavy-ridge", world("ease-heavy", 40, 12, 0.5), 12, 250.0, 1, 8000)
    yield ease_case("more-items-than-users", world("ease-wide", 9, 25, 0.5), 25, 0.5, 1, 8000)
    yield ease_case("frequent-items", world("ease-frequent", 30, 20, 0.4), 20, 5.0, 5, 8000)
    yield ease_case("the-seven-most-met", world("ease-most", 30, 20, 0.4), 20, 5.0, 2, 7)


def build_cases():
    return [*knn_cases(), *neighbor_cases(), *ease_cases()]


if __name__ == "__main__":
    main(__file__, build_cases, ("numpy",))
