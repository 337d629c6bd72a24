"""Golden vectors for the channels' fitted transforms: numbers, dates, places, words, principal components, LSA.

    python3 reference/channels.py            writes reference/golden/channels.json
    python3 reference/channels.py --check    recomputes and compares

Dates come from Python's datetime, characters from its unicodedata, decompositions from LAPACK through NumPy: the full SVD of
the rows, where the product goes through a covariance or a randomised basis. Inputs of PCA are multiples of 1/64, so that they
are the same numbers in float32.

n rows, d their width, k components; N texts, V terms.
"""

import random
import unicodedata
from datetime import datetime, timedelta, timezone

import numpy as np

from goldenfile import case, main, matrix, vector

# --- Numbers: standardised, and 16 soft bins ----------------------------------------------------------------------------


def number_case(name, values, queries, log=False):
    x = np.array([v for v in values if v is not None])
    q = np.array(queries)
    if log:
        x, q = np.log1p(x), np.log1p(q)
    mean, deviation = x.mean(), x.std()  # over the population
    low, high = (np.quantile(x, [0.005, 0.995]) - mean) / deviation
    if low == high:
        low, high = (x.min() - mean) / deviation, (x.max() - mean) / deviation
    centres = np.linspace(low, high, 16)
    width = 1.1 * (high - low) / 15
    z = (q - mean) / deviation
    bins = np.exp(-0.5 * ((np.clip(z, low, high)[:, None] - centres) / width) ** 2)
    outputs = {
        "mean": float(mean),
        "deviation": float(deviation),
        "min": float(x.min()),
        "max": float(x.max()),
        "missing": sum(v is None for v in values),
        "centres": vector(centres),
        "width": float(width),
        "standardised": vector(z),
        "bins": matrix(bins),
    }
    return case("number", name, {"values": list(values), "queries": list(queries), "log": log}, outputs)


def number_cases():
    stream = random.Random("years")
    years = [2020 - int(60 * stream.random() ** 3) for _ in range(300)]
    years[7] = years[100] = None
    yield number_case("skewed-years", years, [1890, 1960, 1999, 2019.5, 2100])
    stream = random.Random("prices")
    prices = [round(10 ** (4 * stream.random()) - 1, 2) for _ in range(250)] + [0]
    yield number_case("log-prices", prices, [0, 0.001, 1, 99.95, 1e6], log=True)
    yield number_case("nearly-constant", [0.0] * 400 + [3.0, 5.0], [0, 1, 5])
    yield number_case("three", [-1.5, 0.25, 4], [-1.5, 0, 7])


# --- Dates: days since 1970-01-01 UTC -----------------------------------------------------------------------------------


def date_cases():
    texts = [
        "1970-01-01", "1999-03-31", "2000-02-29", "1900-02-28", "1900-03-01", "2100-03-01", "0001-01-01", "9999-12-31",
        "1999-03-31T20:15", "1999-03-31T20:15:30.25Z", "1999-03-31 20:15:30+05:30", "1999-12-31T23:59:59-08:00",
        "1969-12-31T23:00:00Z", "2024-02-29T00:00:00+14:00",
    ]  # fmt: skip
    days = []
    for text in texts:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=timezone.utc)
        # In whole microseconds: floats of seconds would round
        micro = (moment - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1)
        days.append(micro / 86_400_000_000)
    yield case("date", "iso", {"texts": texts}, {"days": vector(days)})


# --- Places: the unit sphere --------------------------------------------------------------------------------------------


def geo_cases():
    stream = random.Random("places")
    places = [(0, 0), (90, 13), (-90, -13), (0, 180), (0, -180), (45, 45), (-45, 135), (1e-9, 1e-9), (52.52, 13.405)]
    places += [(round(180 * stream.random() - 90, 5), round(360 * stream.random() - 180, 5)) for _ in range(40)]
    latitude, longitude = np.radians(np.array(places, dtype=float)).T
    points = np.stack([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], 1)
    yield case("geo", "places", {"places": matrix(places)}, {"points": matrix(points)})


# --- Principal components -----------------------------------------------------------------------------------------------


def with_signs(V):
    """Rows of V, each with its entry of largest size positive; entries of nearly that size must have the same sign."""
    largest = np.abs(V).max(axis=1, keepdims=True)
    top = np.where(np.abs(V) > largest - 1e-5, V, 0)
    sign = np.sign(top.sum(axis=1, keepdims=True))
    assert (top * sign >= 0).all(), "the sign of a component is a matter of rounding"
    return V * sign


def check_gaps(s):
    assert (np.diff(s) < -1e-3 * s[0]).all(), "components of nearly equal weight may turn into each other"


def pca_case(name, X, dimensions, queries):
    mean = X.mean(axis=0)
    _, s, Vt = np.linalg.svd(X - mean, full_matrices=False)
    k = min(dimensions, int((s > 1e-10 * s[0]).sum()))
    check_gaps(s[: k + 1] if k < len(s) else s)
    components = with_signs(Vt[:k])
    outputs = {
        "dimensions": k,
        "mean": vector(mean),
        "components": matrix(components),
        "variances": vector(s[:k] ** 2 / len(X)),
        "totalVariance": float((s**2).sum() / len(X)),
        "projections": matrix((queries - mean) @ components.T),
    }
    return case("pca", name, {"rows": matrix(X), "dimensions": dimensions, "queries": matrix(queries)}, outputs)


def pca_cases():
    def rows(name, n, d, scales, shift=0.0):
        stream = random.Random(name)
        X = np.array([[stream.gauss(0, 1) for _ in range(len(scales))] for _ in range(n)]) * scales
        basis = np.array([[stream.gauss(0, 1) for _ in range(d)] for _ in range(len(scales))])
        return np.round((X @ basis + shift) * 64) / 64  # (n, d)

    X = rows("tall", 60, 8, np.array([5, 3, 2, 1.4, 1, 0.7, 0.4, 0.2]), shift=10)
    yield pca_case("tall", X, 5, rows("tall-queries", 4, 8, np.ones(8)))
    X = rows("wide", 6, 20, np.array([5, 4, 3, 2, 1.5, 1]))
    yield pca_case("wide", X, 20, X[:2])  # six rows hold five directions
    stream = random.Random("plane")
    plane = np.array([[stream.randrange(-64, 64), stream.randrange(-32, 32)] for _ in range(30)]) / 16
    X = plane @ np.array([[1, 0, 2, -1], [0, 1, 1, 3]]) + 0.5
    yield pca_case("a-plane-in-four", X, 4, X[:3])


# --- Words --------------------------------------------------------------------------------------------------------------

STOP_WORDS = set(
    """about after again all also am an and any are as at be because been before being between both but by can could did do does
    doing down during each few for from further had has have having he her here hers him his how if in into is it its just ll me
    more most my no nor not now of off on once only or other our out over own re same she should so some such than that the their
    them then there these they this those through to too under until up us ve very was we were what when where which while who
    whom why will with would you your""".split()
)


def tokens(text, bigrams=False):
    """Runs of letters (L*) and digits (N*), marks (M*) after the first; two characters or more, no stop words."""
    words, run = [], ""
    for character in unicodedata.normalize("NFKC", text).lower() + " ":
        kind = unicodedata.category(character)[0]
        if kind in "LN" or (kind == "M" and run):
            run += character
        else:
            if len(run) >= 2 and run not in STOP_WORDS:
                words.append(run)
            run = ""
    return words + [f"{a} {b}" for a, b in zip(words, words[1:])] if bigrams else words


def token_cases():
    texts = [
        "The Café of Lost Souls, 1942",
        "Cafe\u0301 and ﬁnal ＡＢＣ １２３ x² a b 7",
        "don't stop-me_now: rock'n'roll",
        "Тихий Дон; 千と千尋の神隠し (2001); हिन्दी फ़िल्म",
        "İstanbul STRASSE Straße ΣΊΣΥΦΟΣ",
        "𝔊othic 😀 𐐀 𐐀𐐁",
        "... — !?",
        "",
        "the of and I",
    ]
    for name, bigrams in (("words", False), ("bigrams", True)):
        found = [tokens(text, bigrams) for text in texts]
        yield case("tokens", name, {"texts": texts, "bigrams": bigrams}, {"tokens": found})


def fit_tfidf(texts, minimum, maximum, bigrams):
    documents = [d for d in (tokens(t, bigrams) for t in texts if t is not None) if d]
    frequency = {}
    for document in documents:
        for term in set(document):
            frequency[term] = frequency.get(term, 0) + 1
    # Code units of UTF-16: code points would order characters beyond U+FFFF otherwise
    kept = sorted((t for t in frequency if frequency[t] >= minimum), key=lambda t: (-frequency[t], t.encode("utf-16-be")))
    terms = kept[:maximum]
    counts = np.array([frequency[t] for t in terms])
    return terms, counts, np.log((1 + len(documents)) / (1 + counts)) + 1, len(documents)


def tfidf_row(text, terms, idf, bigrams):
    found = tokens(text, bigrams) if text is not None else []
    tf = np.array([found.count(term) for term in terms], dtype=float)
    x = np.where(tf > 0, 1 + np.log(np.maximum(tf, 1)), 0) * idf
    return x / (np.linalg.norm(x) or 1)


THEMES = {
    "space": "space ship planet crew alien galaxy signal captain orbit station".split(),
    "crime": "detective murder city police gang heist money suspect trial witness".split(),
    "love": "love wedding summer letter heart family paris dance secret marriage".split(),
    "war": "war soldier battle front army general village letter captain bridge".split(),
}


def stories(name, count):
    """Short plots, most words from one theme, some from another."""
    stream = random.Random(name)
    texts = []
    for i in range(count):
        main_theme = list(THEMES)[i % len(THEMES)]
        words = []
        for _ in range(6 + int(8 * stream.random())):
            theme = main_theme if stream.random() < 0.8 else stream.choice(list(THEMES))
            words.append(THEMES[theme][int(10 * stream.random() ** 1.5)])
        texts.append("The " + " ".join(words) + ".")
    texts[3] = None
    texts[5] = "..."
    return texts


QUERIES = ["A detective in space: the alien murder", "love love love letter", "Unseen words, wholly", "war and the dance", ""]


def tfidf_cases():
    for name, minimum, maximum, bigrams in (("words", 2, 20_000, False), ("few", 3, 12, False), ("bigrams", 2, 40, True)):
        texts = stories("tfidf", 30)
        terms, counts, idf, documents = fit_tfidf(texts, minimum, maximum, bigrams)
        rows = np.array([tfidf_row(q, terms, idf, bigrams) for q in QUERIES])
        inputs = {"texts": texts, "minDocuments": minimum, "maxTerms": maximum, "bigrams": bigrams, "queries": QUERIES}
        outputs = {
            "documents": documents,
            "terms": terms,
            "frequencies": counts.tolist(),
            "idf": vector(idf),
            "rows": matrix(rows),
        }
        yield case("tfidf", name, inputs, outputs)


# --- Latent semantic analysis -------------------------------------------------------------------------------------------


def lsa_case(name, texts, dimensions):
    terms, _, idf, _ = fit_tfidf(texts, 2, 20_000, False)
    rows = [tfidf_row(text, terms, idf, False) for text in texts]
    X = np.array([row for row in rows if row.any()])  # (N, V)
    _, s, Vt = np.linalg.svd(X, full_matrices=False)
    k = min(dimensions, int((s > 1e-6 * s[0]).sum()))
    check_gaps(s[: k + 1] if k < len(s) else s)
    W = with_signs(Vt[:k])  # (k, V)
    known = [q for q in QUERIES if tfidf_row(q, terms, idf, False).any()]
    Y = np.array([tfidf_row(q, terms, idf, False) for q in known]) @ W.T
    Y /= np.linalg.norm(Y, axis=1, keepdims=True)
    outputs = {"dimensions": k, "singularValues": vector(s[:k]), "components": matrix(W.T), "vectors": matrix(Y)}
    return case("lsa", name, {"texts": texts, "dimensions": dimensions, "queries": known}, outputs)


def lsa_cases():
    yield lsa_case("four-themes", stories("lsa", 120), 4)
    yield lsa_case("more-than-there-is", stories("small", 12), 128)


# ------------------------------------------------------------------------------------------------------------------------


def build_cases():
    groups = (number_cases, date_cases, geo_cases, pca_cases, token_cases, tfidf_cases, lsa_cases)
    return [one for group in groups for one in group()]


if __name__ == "__main__":
    main(__file__, build_cases, ("numpy",))
