"""Golden vectors for behavior factors, what content foresees of them, and what later events add, on small random worlds.

    python3 reference/behavior.py            writes reference/golden/behavior.json
    python3 reference/behavior.py --check    recomputes and compares

N is built dense by a loop over users and sessions, from its definition. Factors are given as V·Vᵀ, which does not depend on the sign of a
vector, or on how vectors of equal singular values are chosen; the gap behind the last singular value is asserted to be wide. The ridge regression is not
computed from normal equations but by least squares on stacked rows.

u users, n items, k factors
"""

import math
import random

import numpy as np

from goldenfile import case, main, matrix


def world(name, users, n):
    """Items of each user in time order. Items of high index are rarer, the last is never met; every fifth user is empty; some items repeat."""
    stream = random.Random(name)
    histories = []
    for user in range(users):
        items = []
        if user % 5 != 3:
            for item in range(n - 1):
                if stream.random() < 0.7 * (1 - 0.8 * item / n):
                    items += [item] * (2 if stream.random() < 0.2 else 1)
            stream.shuffle(items)
        histories.append(items)
    return histories


def normalized(histories, n, a, session, w, s, rho):
    """N (rows, n)"""
    rows, scales, events = [], [], 0
    for items in histories:
        if not items:
            continue
        own = set(items)
        events += len(own)
        rows.append(own)
        scales.append(len(own) ** -a)
    if w > 0:
        for items in histories:
            for start in range(0, len(items), session):
                own = set(items[start : start + session])
                rows.append(own)
                scales.append(w * len(own) ** -a)
    M = np.zeros((len(rows), n))
    for r, (own, scale) in enumerate(zip(rows, scales)):
        M[r, list(own)] = scale
    d = (M**2).sum(0)
    mean = d.sum() / events
    column = np.where(d > 0, np.where(d > 0, d + s * mean, 1.0) ** -rho, 0.0)
    return M * column, d, mean


def factors_case(name, histories, n, k, a=0.25, session=10, w=0.5, s=10.0, rho=0.4):
    N, _, _ = normalized(histories, n, a, session, w, s, rho)
    _, sigma, Vt = np.linalg.svd(N, full_matrices=False)
    sigma = np.append(sigma, 0.0)
    assert sigma[k - 1] > 1.02 * sigma[k]
    V = Vt[:k].T * sigma[:k]
    settings = {"userLengthExponent": a, "session": session, "sessionWeight": w, "shrinkage": s, "normExponent": rho}
    inputs = {"itemCount": n, "items": histories, "rank": k, "settings": settings}
    return case("factors", name, inputs, {"products": matrix(V @ V.T)})


def fold_in_case(name, histories, n, k, later, prior=3.0, a=0.25, session=10, w=0.5, s=10.0, rho=0.4):
    """Users who come after training, and what they meet, in time order: item n is none of training's, item n - 1 was met by nobody. What content foresees
    of both is half the factors of item 0 and a quarter of those of item 1. Answers v' times the trained V, which no rotation changes."""
    N, d, mean = normalized(histories, n, a, session, w, s, rho)
    _, sigma, Vt = np.linalg.svd(N, full_matrices=False)
    assert sigma[k - 1] > 1e-3 and (k == len(sigma) or sigma[k - 1] > 1.02 * sigma[k])
    V = Vt[:k].T * sigma[:k]
    before = np.vstack([V, np.zeros((1, k))])
    before[n - 1] = before[n] = 0.5 * V[0] + 0.25 * V[1]
    d = np.append(d, 0.0)
    column = np.where(d > 0, np.where(d > 0, d + s * mean, 1.0) ** -rho, 0.0)
    says = column[:, None] * before / sigma[:k] ** 2
    sums, weights, people = np.zeros_like(before), np.zeros(n + 1), np.zeros(n + 1)
    for items in later:
        for place, item in enumerate(items):
            earlier = items[:place]
            recent = earlier[-(session - 1) :] if session > 1 else []
            of_user = (len(earlier) + 1.0) ** (-2 * a)
            of_session = w**2 * (len(recent) + 1.0) ** (-2 * a)
            weights[item] += of_user + of_session
            people[item] += any(d[other] > 0 for other in earlier)
            for other in earlier:
                share = of_user + (of_session if other in recent else 0)
                sums[item] += share * says[other]
                if d[other] == 0:
                    sums[other] += share * says[item]
    scale = (d + weights + s * mean) ** -rho
    kept = np.where(d > 0, scale / np.where(d > 0, column, 1), prior / (people + prior))
    after = kept[:, None] * before + scale[:, None] * sums
    touched = (weights > 0) | (np.abs(sums).sum(1) > 0)
    after[~touched] = before[~touched]
    settings = {"userLengthExponent": a, "session": session, "sessionWeight": w, "shrinkage": s, "normExponent": rho}
    inputs = {"itemCount": n, "items": histories, "rank": k, "settings": settings, "prior": prior, "later": later}
    return case("foldIn", name, inputs, {"products": matrix(after @ V.T), "people": [int(p) for p in people]})


def foresight_case(name, n, widths, k, ridge):
    """Channels with values at random, some of them missing; factors at random; items that nobody met count for nothing."""
    stream = np.random.default_rng([len(name), n, k])
    met = stream.integers(0, 9, n)
    channels = [np.round(stream.normal(size=(n, d)) * 8) / 8 for d in widths]
    missing = [stream.random(n) < 0.2 for _ in widths]
    V = np.round(stream.normal(size=(n, k)) * 8) / 8
    known = met > 0
    parts = [np.ones((n, 1))]
    for X, gone in zip(channels, missing):
        scale = 1 / math.sqrt((X[known & ~gone] ** 2).sum(1).mean())
        parts.append(np.where(gone[:, None], 0.0, X * scale))
    Phi = np.hstack(parts)
    f = Phi.shape[1]
    root = np.sqrt(np.sqrt(met[known]))[:, None]
    P = Phi[known] * root
    stacked = np.vstack([P, math.sqrt(ridge * (P**2).sum() / f) * np.eye(f)])
    B = np.linalg.lstsq(stacked, np.vstack([V[known] * root, np.zeros((f, k))]), rcond=None)[0]
    inputs = {
        "met": [int(c) for c in met],
        "channels": [matrix(X) for X in channels],
        "missing": [[int(g) for g in gone] for gone in missing],
        "vectors": matrix(V),
        "ridge": ridge,
    }
    return case("foresight", name, inputs, {"means": matrix(Phi @ B)})


def build_cases():
    small = world("behavior-small", 12, 7)
    yield factors_case("small", small, 7, 3)
    yield factors_case("users-alone", small, 7, 3, w=0.0)
    yield factors_case("sessions-of-two", small, 7, 4, session=2, w=0.7, s=100.0, rho=0.3)
    yield factors_case("cosines", world("behavior-cosines", 20, 9), 9, 5, a=0.0, w=0.0, s=0.0, rho=0.5)
    yield factors_case("more-items-than-rows", world("behavior-wide", 6, 25), 25, 4, w=0.0)
    later = [[0, 7, 2], [7, 1, 6, 3], [5], [7], [6, 7], [2, 0, 1, 3, 7, 4]]
    yield fold_in_case("all-factors", small, 7, 6, later)
    yield fold_in_case("some-factors", small, 7, 3, later, prior=1.0)
    yield fold_in_case("users-alone", small, 7, 4, later, w=0.0, a=0.5, rho=0.5)
    yield fold_in_case("sessions-of-two", small, 7, 4, later, session=2, w=0.7, s=100.0, rho=0.3)
    yield foresight_case("one-channel", 20, [3], 2, 0.03)
    yield foresight_case("three-channels", 30, [4, 2, 5], 6, 0.1)
    yield foresight_case("more-features-than-items", 12, [9, 8], 3, 0.1)


if __name__ == "__main__":
    main(__file__, lambda: list(build_cases()), ("numpy",))
