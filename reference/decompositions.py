"""Golden vectors for the decompositions: symmetric eigenproblems, orthonormal bases, singular values of sparse matrices.

    python3 reference/decompositions.py            writes reference/golden/decompositions.json
    python3 reference/decompositions.py --check    recomputes and compares

Everything is computed with 60 decimal digits (mpmath's eigsy, Gram–Schmidt as the textbook writes it) and rounded once;
NumPy's LAPACK routines are asserted to agree to what float64 allows. An eigenvector is given only where its eigenvalue
stands alone; a group of equal ones is given by the projector on its span, which no choice of basis changes.

n rows and columns; a sparse matrix has rows × n, by rows: starts, columns, values, and a scale per row and per column.
"""

import mpmath
import numpy as np
from mpmath import mpf

from exact import exact, product, rounded, transpose
from goldenfile import case, main, matrix, vector
from linalg import Draw, close_points


def eigen(A):
    """A, 60 digits → eigenvalues, largest first, and eigenvectors as rows, the largest entry of each positive."""
    values, vectors = mpmath.eigsy(mpmath.matrix(A))
    order = sorted(range(len(A)), key=lambda j: -values[j])
    rows = [[vectors[i, j] for i in range(len(A))] for j in order]
    return [values[j] for j in order], [fixed(row) for row in rows]


def fixed(v):
    """The sign that makes the entry of largest magnitude positive; the first one where several are equal, but for rounding."""
    top = max(abs(x) for x in v)
    first = next(x for x in v if abs(x) > top * (1 - mpf(10) ** -40))
    return [x if first > 0 else -x for x in v]


def gaps(values):
    """From each eigenvalue to the nearest other one."""
    return [min((abs(a - b) for j, b in enumerate(values) if j != i), default=mpf(1)) for i, a in enumerate(values)]


# --- Symmetric eigenproblems ------------------------------------------------------------------------------------------


def symmetric(name, n):
    M = Draw(name).normals(n, n)
    return np.round((M + M.T) / 2, 5)


def with_spectrum(name, spectrum):
    """HΛHᵀ with H = I − 2uuᵀ, in float64: the spectrum is `spectrum` but for rounding."""
    n = len(spectrum)
    u = exact(Draw(name).normals(n, 1))
    square = sum(x[0] ** 2 for x in u)
    H = [[mpf(int(i == j)) - 2 * u[i][0] * u[j][0] / square for j in range(n)] for i in range(n)]
    A = rounded(product([[h * mpf(s) for h, s in zip(row, spectrum)] for row in H], H))
    return np.tril(A) + np.tril(A, -1).T


def wilkinson(n):
    """W⁺: 10, 9, …, 0, …, 9, 10 on the diagonal and ones beside it. Its upper eigenvalues come in pairs 1e-14 apart."""
    return np.diag(np.abs(np.arange(n) - n // 2).astype(float)) + np.eye(n, k=1) + np.eye(n, k=-1)


def eigen_case(name, A, groups=()):
    """groups: (first, past the last) of eigenvalues that are equal, to be given by their projector."""
    n = len(A)
    values, vectors = eigen(exact(A))
    scale = max(abs(v) for v in values) or mpf(1)
    assert np.allclose(np.linalg.eigvalsh(A)[::-1], [float(v) for v in values], rtol=0, atol=1e-13 * n * float(scale))
    inputs = {"A": matrix(A)}
    outputs = {"values": vector(values), "smallest": float(values[-1])}
    if groups:
        inputs["groups"] = [list(group) for group in groups]
        for first, end in groups:
            rows = vectors[first:end]
            outputs[f"projector{first}"] = matrix(product(transpose(rows), rows))
    else:
        gap = min(gaps(values)) / scale
        assert gap > 1e-9, (name, gap)
        inputs["relativeGap"] = float(gap)  # f64 turns a vector by about 2e-16·n / gap
        outputs["vectors"] = matrix(vectors)
    return case("symmetricEigen", name, inputs, outputs)


def eigen_cases():
    for n in (1, 2, 3, 10, 31):
        yield eigen_case(f"random-{n}", symmetric(f"eigen-{n}", n))
    yield eigen_case("diagonal-5", np.diag([2.0, -7.0, 0.0, 11.0, 2.5]))
    yield eigen_case("tiny-and-huge-3", np.diag([1e-200, 3e-200, -2e-200]))
    yield eigen_case("graded-8", with_spectrum("graded", [10.0**-k for k in range(8)]))
    yield eigen_case("hilbert-6", np.array([[1.0 / (i + j + 1) for j in range(6)] for i in range(6)]))
    M = Draw("rank-deficient").normals(9, 4)
    gram = np.array([[float(x) for x in row] for row in product(exact(M), exact(M.T))])
    yield eigen_case("rank-4-of-9", gram, groups=[(4, 9)])
    yield eigen_case("repeated-7", with_spectrum("repeated", [3, 3, 3, 1, 1, -2, -2]), groups=[(0, 3), (3, 5), (5, 7)])
    yield eigen_case("identity-4", np.eye(4), groups=[(0, 4)])
    yield eigen_case("zero-3", np.zeros((3, 3)), groups=[(0, 3)])
    pairs = [(first, first + 2) for first in range(0, 14, 2)]
    yield eigen_case("wilkinson-21", wilkinson(21), groups=pairs)
    yield eigen_case("close-points-12", close_points(12), groups=[(0, 1), (1, 2), (2, 3), (3, 12)])


# --- Orthonormal bases ------------------------------------------------------------------------------------------------


def gram_schmidt(Y):
    """Q with QᵀQ = I and the span of Y's first j columns for every j; columns that add nothing are listed, not kept."""
    basis, dropped = [], []
    for j, column in enumerate(transpose(Y)):
        y = list(column)
        for q in basis:
            dot = sum(a * b for a, b in zip(q, column))
            y = [a - dot * b for a, b in zip(y, q)]
        length = mpmath.sqrt(sum(a * a for a in y))
        if length <= mpf(10) ** -40 * mpmath.sqrt(sum(a * a for a in column)):
            dropped.append(j)
        else:
            basis.append([a / length for a in y])
    return transpose(basis) if basis else [[] for _ in Y], dropped


def orthonormalize_case(name, Y):
    Q, dropped = gram_schmidt(exact(Y))
    kept = [j for j in range(Y.shape[1]) if j not in dropped]
    inputs = {"Y": matrix(Y), "kept": kept}
    outputs = {"Q": matrix(Q), "replaced": dropped, "rank": len(kept)}
    singular = np.linalg.svd(Y[:, kept] / np.abs(Y[:, kept]).max(0), compute_uv=False)
    inputs["condition"] = float(singular[0] / singular[-1])  # after scaling columns; f64 turns Q by about 2e-16 times it
    assert np.linalg.matrix_rank(Y / (np.abs(Y).max(0) + (np.abs(Y).max(0) == 0))) == len(kept), name
    return case("orthonormalize", name, inputs, outputs)


def orthonormalize_cases():
    for n, l in ((1, 1), (6, 6), (23, 7)):
        yield orthonormalize_case(f"random-{n}-by-{l}", Draw(f"orthonormalize-{n}").normals(n, l))
    Y = Draw("scales").normals(12, 4) * np.array([1e-150, 1.0, 1e150, 1e-3])
    yield orthonormalize_case("scales-12-by-4", Y)

    # Nearly parallel columns: far beyond what the Gram matrix can tell apart in float64.
    Y = Draw("nearly-dependent").normals(20, 5)
    Y[:, 2] = Y[:, 0] + 1e-7 * Y[:, 2]
    Y[:, 4] = Y[:, 1] - Y[:, 3] + 1e-9 * Y[:, 4]
    yield orthonormalize_case("nearly-dependent-20-by-5", Y)

    # Exactly dependent, in short binary numbers: a column twice, a sum, a zero.
    Y = np.round(Draw("dependent").normals(16, 6) * 8) / 8
    Y[:, 1] = 2 * Y[:, 0]
    Y[:, 3] = 0
    Y[:, 5] = Y[:, 2] + Y[:, 4]
    yield orthonormalize_case("dependent-16-by-6", Y)


# --- Singular values of a sparse matrix -------------------------------------------------------------------------------


def sparse_case(name, entries, cols, rank, width, values=False, scales=False):
    """entries[u]: the columns of row u. gram is Aᵀ(A·X), and A's leading right singular vectors are eigenvectors of AᵀA."""
    draw = Draw(f"sparse-{name}")
    rows = len(entries)
    starts = [0]
    for columns in entries:
        starts.append(starts[-1] + len(columns))
    flat = [c for columns in entries for c in columns]
    held = [draw.uniform(0.5, 5, 1) for _ in flat] if values else [1.0] * len(flat)
    held = [float(np.float32(v)) for v in held]  # the product takes float32
    degree = [max(1, flat.count(c)) for c in range(cols)]
    r = [1 / np.sqrt(max(1, len(columns))) for columns in entries] if scales else [1.0] * rows
    c = [1 / np.sqrt(d) for d in degree] if scales else [1.0] * cols
    A = [[mpf(0)] * cols for _ in range(rows)]
    for u in range(rows):
        for e in range(starts[u], starts[u + 1]):
            A[u][flat[e]] += mpf(float(r[u])) * mpf(held[e]) * mpf(float(c[flat[e]]))
    AtA = product(transpose(A), A)
    eigenvalues, vectors = eigen(AtA)
    spread = eigenvalues[: rank + 1]
    gap = min(gaps(eigenvalues)[:rank]) / eigenvalues[0]
    assert gap > 1e-4, (name, gap)
    X = draw.normals(cols, width)
    sigma = np.linalg.svd(rounded(A), compute_uv=False)[:rank]
    assert np.allclose(sigma, [float(mpmath.sqrt(v)) for v in eigenvalues[:rank]], rtol=1e-12)
    inputs = {
        "rows": rows,
        "cols": cols,
        "starts": starts,
        "columns": flat,
        **({"values": vector(held)} if values else {}),
        **({"rowScale": vector(r), "columnScale": vector(c)} if scales else {}),
        "X": matrix(X),
        "rank": rank,
        "relativeGap": float(gap),
        "condition": float(spread[0] / spread[rank - 1]),
    }
    outputs = {
        "dense": matrix(A),
        "gram": matrix(product(AtA, exact(X))),
        "singularValues": vector(mpmath.sqrt(v) for v in eigenvalues[:rank]),
        "rightVectors": matrix(transpose(vectors[:rank])),
    }
    return case("randomizedSvd", name, inputs, outputs)


def scattered(name, rows, cols, most):
    draw = Draw(name)
    picks = [sorted({int(draw.uniform(0, 1, 9) ** 2 * cols) for _ in range(1 + int(draw.uniform(0, most)))}) for _ in range(rows)]  # fmt: skip
    picks[rows // 2] = []  # a user without items
    return picks


def sparse_cases():
    yield sparse_case("one-entry", [[0]], 1, 1, 2)
    yield sparse_case("counts", scattered("counts", 30, 12, 6), 12, 4, 3)
    yield sparse_case("values", scattered("values", 25, 14, 6), 14, 5, 3, values=True)
    yield sparse_case("normalised", scattered("normalised", 40, 16, 7), 16, 4, 9, scales=True)
    yield sparse_case("all", scattered("all", 9, 15, 5), 15, 5, 17, values=True, scales=True)


def build_cases():
    return [*eigen_cases(), *orthonormalize_cases(), *sparse_cases()]


if __name__ == "__main__":
    main(__file__, build_cases, ("numpy", "mpmath"))
