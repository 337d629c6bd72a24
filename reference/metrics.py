"""Golden vectors for evaluation: ranking metrics, strata, catalogue figures, calibration, percentiles and sign tests.

    python3 reference/metrics.py            writes reference/golden/metrics.json
    python3 reference/metrics.py --check    recomputes and compares

Written from the formulas of docs/evaluation.md. Hits are a vector of zeros and ones, and a metric is a product of vectors; an ideal is the
largest gain over arrangements (all of them where the list is short, which is asserted to agree with the sorted one). Strata are cut on the
sorted pairs, written out one by one. The statistics are SciPy's: entropy, percentileofscore, norm, pearsonr, binom and binomtest;
percentiles are NumPy's.

n items, q queries, k places, G the truth of a query.
"""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
from scipy import stats

from goldenfile import case, main, vector

PLACES = 10


# --- Metrics of one list (EV9) ----------------------------------------------------------------------------------------


def hits(ranked, truth, k):
    """(k) 1 at the places of hits; a short list has none at its missing places."""
    found = np.isin(ranked[:k], truth).astype(float)
    return np.concatenate([found, np.zeros(k - len(found))])


def paper_discounts(k):
    """δ = 1, 1/log₂2, 1/log₂3, …, 1/log₂k"""
    return np.concatenate([[1.0], 1 / np.log2(np.arange(2, k + 1))])


def standard_discounts(k):
    """1/log₂(i + 1), i = 1 … k"""
    return 1 / np.log2(np.arange(1, k + 1) + 1)


def reciprocal_rank(found):
    places = np.flatnonzero(found) + 1
    return 1 / places[0] if len(places) else 0.0


def paper_ndcg(ranked, truth, k):
    """The ideal is the best order of the list itself."""
    found, discounts = hits(ranked, truth, k), paper_discounts(k)
    ideal = np.sort(found)[::-1] @ discounts
    shown = found[: min(len(ranked), k)]
    if 0 < len(shown) <= 6:
        orders = (np.array(order) @ discounts[: len(shown)] for order in itertools.permutations(shown))
        assert abs(max(orders) - ideal) < 1e-15
    return found @ discounts / ideal if ideal else 0.0


def standard_ndcg(ranked, truth, k):
    """The ideal is the best list that there can be: min(k, |G|) hits, then none."""
    discounts = standard_discounts(k)
    best = (np.arange(k) < len(truth)).astype(float)
    ideal = best @ discounts
    return hits(ranked, truth, k) @ discounts / ideal if ideal else 0.0


def metrics(ranked, truth, k=PLACES):
    found = hits(ranked, truth, k)
    return {
        "paper HR": float(found.mean()),
        "paper MRR": float(reciprocal_rank(found)),
        "paper NDCG": float(paper_ndcg(ranked, truth, k)),
        "standard precision": float(found.mean()),
        "standard hit": float(found.max()),
        "standard MRR": float(reciprocal_rank(found)),
        "standard NDCG": float(standard_ndcg(ranked, truth, k)),
    }


def ranking_case(name, ranked, truth, k):
    return case("ranking", name, {"list": ranked, "truth": truth, "k": k}, metrics(ranked, truth, k))


def ranking_cases():
    ten = list(range(10))
    yield ranking_case("all-hits", ten, ten, 10)
    yield ranking_case("no-hit", ten, [11, 12], 10)
    yield ranking_case("empty-list", [], [1], 10)
    yield ranking_case("empty-truth", ten, [], 10)
    yield ranking_case("short-list", [4, 7], [7, 8, 9], 10)
    yield ranking_case("short-list-all-hits", [4, 7, 2], [2, 4, 7, 8], 10)
    yield ranking_case("hits-beyond-k", ten, [2, 8, 9], 5)
    yield ranking_case("truth-larger-than-k", ten, list(range(3, 30)), 10)
    yield ranking_case("one-place", [3, 1], [3], 1)
    for place in range(1, 12):
        yield ranking_case(f"one-hit-at-{place}", list(range(1, 12)), [place], 10)
    stream = random.Random("ranking")
    for number in range(24):
        n = stream.randint(5, 60)
        ranked = stream.sample(range(n), stream.randint(0, min(n, 15)))
        truth = sorted(stream.sample(range(n), stream.randint(1, n)))
        yield ranking_case(f"random-{number}", ranked, truth, stream.choice([3, 5, 10, 10, 12]))


# --- Strata (EV12) ----------------------------------------------------------------------------------------------------


def thirds(truth, events):
    """By hit the third of the truth's pairs (query, hit) that it falls into: sorted by the hit's events, most first. Hits with equally many
    events stay together, where the middle of them stands; on a border that is the less popular side."""
    pairs = sorted((-events[item] for items in truth.values() for item in items))
    of = {}
    for negated in set(pairs):
        first = pairs.index(negated)
        last = len(pairs) - 1 - pairs[::-1].index(negated)
        middle = Fraction(first + last + 1, 2 * len(pairs))
        of[-negated] = 0 if middle < Fraction(1, 3) else 1 if middle < Fraction(2, 3) else 2
    return of


def stratify(truth, events):
    """[head, middle, tail], each a truth with the hits of that third; queries without any are gone."""
    of = thirds(truth, events)
    parts = [{query: [i for i in items if of[events[i]] == third] for query, items in truth.items()} for third in range(3)]
    return [{query: items for query, items in part.items() if items} for part in parts]


def strata_case(name, truth, events):
    outputs = {}
    for stratum, part in zip(("head", "middle", "tail"), stratify(truth, events)):
        outputs[stratum] = {"queries": list(part), "sets": list(part.values()), "empty": len(truth) - len(part)}
    return case("strata", name, {"queries": list(truth), "sets": list(truth.values()), "events": events}, outputs)


def drawn_truth(stream, n, queries, share):
    """Each query has at least one hit, and is none of its own."""
    truth = {}
    for query in sorted(stream.sample(range(n), queries)):
        others = [item for item in range(n) if item != query]
        truth[query] = sorted(item for item in others if stream.random() < share) or [stream.choice(others)]
    return truth


def drawn_events(stream, n, most):
    """A few items have most of the events, and several have equally few."""
    return [int(most * stream.random() ** 3) for _ in range(n)]


def strata_cases():
    yield strata_case("by-hand", {0: [1, 2, 3], 9: [1, 3, 4]}, [0, 100, 50, 50, 1, 0, 0, 0, 0, 0])
    yield strata_case("all-alike", {0: [1, 2], 3: [1]}, [5, 5, 5, 5])
    yield strata_case("middle-on-the-border", {0: [1, 2, 3]}, [0, 9, 9, 1])  # (0 + 2/2)/3 = 1/3
    yield strata_case("one-pair", {0: [1]}, [1, 1])
    stream = random.Random("strata")
    for name, n, queries, share, most in [("few", 12, 5, 0.4, 20), ("many", 40, 15, 0.2, 200), ("rare-counts", 30, 8, 0.3, 4)]:
        yield strata_case(name, drawn_truth(stream, n, queries, share), drawn_events(stream, n, most))


# --- What lists show of the catalogue ---------------------------------------------------------------------------------


def catalogue(lists, scores, events, k):
    """Lists with one place more than count: it tells whether the last one that counts was a tie (EV7)."""
    n = len(events)
    shown = [item for ranked in lists for item in ranked[:k]]
    counts = np.bincount(shown, minlength=n)
    tied = [any(a == b for a, b in zip(row[:k], row[1 : k + 1])) for row in scores]
    return {
        "coverage": float(np.mean(counts > 0)),
        "diversity": float(np.exp(stats.entropy(counts)) / min(n, len(shown))),
        "popularity": float(np.mean([stats.percentileofscore(events, events[item], kind="mean") / 100 for item in shown])),
        "ties": float(np.mean(tied)),
    }


def catalogue_case(name, lists, scores, events, k):
    inputs = {"lists": lists, "scores": scores, "events": events, "k": k}
    return case("catalogue", name, inputs, catalogue(lists, scores, events, k))


def catalogue_cases():
    two = [[0, 1, 2], [0, 2, 3]]
    yield catalogue_case("no-tie", two, [[3.0, 2.0, 1.0], [5.0, 4.5, 4.0]], [3, 2, 2, 9, 0], 2)
    yield catalogue_case("tie-with-the-one-outside", two, [[3.0, 2.0, 2.0], [5.0, 4.5, 4.0]], [3, 2, 2, 9, 0], 2)
    yield catalogue_case("tie-inside", two, [[3.0, 3.0, 2.0], [5.0, 4.5, 4.0]], [3, 2, 2, 9, 0], 2)
    yield catalogue_case("tie-beyond", [[0, 1, 2, 3]], [[4.0, 3.0, 2.0, 2.0]], [1, 1, 1, 1], 2)
    yield catalogue_case("short-lists", [[2], [], [0, 2, 1]], [[1.0], [], [2.0, 1.0, 1.0]], [0, 4, 4, 1], 3)
    yield catalogue_case("always-the-same", [[1, 0, 2]] * 6, [[3.0, 2.0, 1.0]] * 6, [1, 7, 3, 3, 0, 0], 2)
    stream = random.Random("catalogue")
    n, k = 25, 4
    lists, scores = [], []
    for _ in range(9):
        lists.append(stream.sample(range(n), k + 1))
        scores.append(sorted((stream.randint(0, 12) / 4 for _ in range(k + 1)), reverse=True))
    yield catalogue_case("random", lists, scores, drawn_events(stream, n, 30), k)


# --- A whole world: scores in, figures out ----------------------------------------------------------------------------


def tie_hash(name):
    """FNV-1a over the bytes of UTF-16, low byte first, then the finaliser of MurmurHash3."""
    h = 2166136261
    for byte in name.encode("utf-16-le"):
        h = (h ^ byte) * 16777619 % 2**32
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        h = (h ^ (h >> shift)) * factor % 2**32
    return h


def rank(query, scores, ids):
    """The whole catalogue but the query (EV6), equal scores by the hash of the id (EV7). None is no candidate."""
    candidates = [item for item, score in enumerate(scores) if item != query and score is not None]
    return sorted(candidates, key=lambda item: (-scores[item], tie_hash(ids[item]), item))


def world_case(name, ids, events, truth, scores):
    lists = {query: rank(query, scores[query], ids)[: PLACES + 1] for query in truth}
    by_query = [metrics(lists[query], truth[query]) for query in truth]
    parts = stratify(truth, events)
    assert all(parts), "a third of the truth is empty"
    strata = [float(np.mean([metrics(lists[query], items)["paper HR"] for query, items in part.items()])) for part in parts]
    outputs = {
        "metrics": {metric: vector(row[metric] for row in by_query) for metric in by_query[0]},
        "strata": dict(zip(("head", "middle", "tail"), strata)),
        "catalogue": catalogue(
            [lists[query] for query in truth], [[scores[query][i] for i in lists[query]] for query in truth], events, PLACES
        ),
    }
    inputs = {"ids": ids, "events": events, "queries": list(truth), "sets": list(truth.values())}
    inputs["scores"] = [scores[query] for query in truth]
    return case("world", name, inputs, outputs)


def drawn_world(name, n, queries, score, ids=None):
    stream = random.Random(name)
    truth = drawn_truth(stream, n, queries, 0.25)
    events = drawn_events(stream, n, 60)
    scores = {query: [score(stream) for _ in range(n)] for query in truth}
    return world_case(name, ids or [f"item {i}" for i in range(n)], events, truth, scores)


def world_cases():
    yield drawn_world("distinct-scores", 40, 12, lambda stream: stream.randint(0, 10**9) / 1000)
    yield drawn_world("many-ties", 40, 12, lambda stream: stream.randint(0, 4) / 2)
    letters = [f"{letter}{number}" for number in range(5) for letter in "aäΩ漢🎬"]  # 🎬 takes two units of UTF-16
    yield drawn_world("other-letters", len(letters), 8, lambda stream: stream.randint(0, 2) / 2, letters)
    yield drawn_world("short-lists", 18, 6, lambda stream: stream.randint(0, 9) / 8 if stream.random() < 0.4 else None)


# --- Calibration ------------------------------------------------------------------------------------------------------


def rating_errors(mean, actual, centre):
    """Root mean squares of the prediction's error, and of the error of a forecast that is the same for all items."""
    return {
        "rmse": float(np.sqrt(np.mean((mean - actual) ** 2))),
        "rmseOfMean": float(np.sqrt(np.mean((centre - actual) ** 2))),
    }


def calibration_case(name, forecasts, prior):
    """Forecasts are (mean, variance, actual, number of ratings)."""
    mean, variance, actual, ratings = (np.array(column) for column in zip(*forecasts))
    deviation = np.sqrt(variance)
    centre, spread = prior
    outputs = {
        "items": len(forecasts),
        **rating_errors(mean, actual, centre),
        "nll": float(-stats.norm.logpdf(actual, mean, deviation).mean()),
        "nllOfMean": float(-stats.norm.logpdf(actual, centre, math.sqrt(spread)).mean()),
        "coverage": {},
        "byRatings": {},
    }
    for share in (0.5, 0.8, 0.95):
        low, high = stats.norm.interval(share, mean, deviation)
        # What lies on the very border would be inside or outside by rounding.
        assert min(np.abs(actual - low).min(), np.abs(actual - high).min()) > 1e-6
        outputs["coverage"][str(share)] = float(np.mean((low <= actual) & (actual <= high)))
    for least in (1, 3, 10):
        of = ratings >= least
        if not of.any():
            continue
        varies = len(set(mean[of])) > 1 and len(set(actual[of])) > 1
        outputs["byRatings"][str(least)] = {
            "items": int(of.sum()),
            **rating_errors(mean[of], actual[of], centre),
            "correlation": float(stats.pearsonr(mean[of], actual[of]).statistic) if varies else None,
        }
    inputs = {"mean": vector(mean), "variance": vector(variance), "actual": vector(actual), "ratings": [int(r) for r in ratings]}
    return case("calibration", name, {**inputs, "prior": {"mean": centre, "variance": spread}}, outputs)


def calibration_cases():
    yield calibration_case("one-item", [(3.5, 0.25, 3.0, 2)], (3.25, 0.5))
    stream = random.Random("calibration")

    def drawn(count, claimed, true):
        for _ in range(count):
            mean = round(stream.gauss(3.2, 0.6), 3)
            yield mean, round(claimed * stream.uniform(0.5, 1.5), 4), round(mean + stream.gauss(0, true), 3), stream.randint(1, 14)

    yield calibration_case("honest", list(drawn(60, 0.25, 0.5)), (3.2, 0.61))
    yield calibration_case("too-sure", list(drawn(60, 0.01, 0.5)), (3.2, 0.61))
    yield calibration_case("too-modest", list(drawn(60, 4.0, 0.5)), (3.0, 0.4))


# --- Percentiles and intervals ----------------------------------------------------------------------------------------


def percentile_case(name, values, shares):
    outputs = {"percentiles": vector(np.quantile(values, shares, method="linear"))}
    return case("percentile", name, {"values": vector(values), "shares": vector(shares)}, outputs)


def bootstrap_case(name, ones, n, resamples):
    """The mean of n resampled zeros and ones is binomial. So a percentile of `resamples` such means lies between two quantiles of the binomial
    distribution: those of its share minus and plus five standard errors, which all but one in a million draws keep."""
    share = ones / n
    bounds = {}
    for key, at in (("low", 0.025), ("high", 0.975)):
        error = 5 * math.sqrt(at * (1 - at) / resamples)
        bounds[key] = vector(stats.binom.ppf([at - error, at + error], n, share) / n)
    inputs = {"ones": ones, "count": n, "resamples": resamples}
    return case("bootstrap", name, inputs, {"mean": share, **bounds})


def percentile_cases():
    shares = [0.0, 0.025, 0.25, 0.5, 0.9, 0.975, 1.0]
    stream = random.Random("percentile")
    yield percentile_case("one-value", [4.5], shares)
    yield percentile_case("two-values", [1.0, 2.0], shares)
    yield percentile_case("equal-values", [0.25] * 7, shares)
    for n in (5, 40, 41, 200):
        yield percentile_case(f"{n}-values", sorted(stream.randint(-999, 999) / 64 for _ in range(n)), shares)
    yield bootstrap_case("an-even-coin", 50, 100, 2000)
    yield bootstrap_case("rare-hits", 6, 200, 2000)
    yield bootstrap_case("few-items", 9, 12, 2000)


# --- The sign test (EV11) ---------------------------------------------------------------------------------------------


def sign_outputs(better, equal, worse):
    differing = better + worse
    p = stats.binomtest(better, differing, 0.5).pvalue if differing else 1.0
    return {"better": better, "equal": equal, "worse": worse, "p": float(p)}


def sign_cases():
    for better, equal, worse in [
        (0, 0, 0), (0, 7, 0), (1, 0, 0), (0, 3, 5), (5, 0, 5), (6, 1, 5), (8, 2, 2), (17, 0, 3), (3, 9, 17), (120, 40, 80),
        (1000, 0, 0), (10_200, 500, 9_800), (9_000, 0, 11_000),
    ]:  # fmt: skip
        inputs = {"better": better, "equal": equal, "worse": worse}
        yield case("signTestCounts", f"{better}-{equal}-{worse}", inputs, sign_outputs(better, equal, worse))
    stream = random.Random("sign")
    for number in range(4):
        n = stream.randint(5, 60)
        a, b = ([stream.randint(0, 10) / 10 for _ in range(n)] for _ in range(2))
        counts = [sum(x > y for x, y in zip(a, b)), sum(x == y for x, y in zip(a, b)), sum(x < y for x, y in zip(a, b))]
        yield case("signTest", f"random-{number}", {"a": a, "b": b}, sign_outputs(*counts))


def build_cases():
    return [
        *ranking_cases(),
        *strata_cases(),
        *catalogue_cases(),
        *world_cases(),
        *calibration_cases(),
        *percentile_cases(),
        *sign_cases(),
    ]


if __name__ == "__main__":
    main(__file__, build_cases, ("numpy", "scipy"), elementwise=("ranking", "signTest", "signTestCounts"))
