"""Dense factorisations with 60 decimal digits, as the textbook writes them.

A matrix is a list of rows of mpmath numbers: exact() makes one from float64, rounded() goes back, once, at the end.
"""

import mpmath
import numpy as np
from mpmath import mpf

mpmath.mp.dps = 60


def exact(A):
    """float64 → 60 digits, entry by entry."""
    return [[mpf(float(x)) for x in row] for row in A]


def rounded(A):
    """60 digits → the nearest float64, entry by entry."""
    return np.array([[float(x) for x in row] for row in A])


class NotPositiveDefinite(Exception):
    """args[0]: the order (from 1) of the first leading minor that is not positive."""


def cholesky(A):
    """L_jj = √(A_jj − Σ_k<j L_jk²),   L_ij = (A_ij − Σ_k<j L_ik L_jk) / L_jj for i > j."""
    n = len(A)
    L = [[mpf(0)] * n for _ in range(n)]
    for j in range(n):
        pivot = A[j][j] - sum(L[j][k] ** 2 for k in range(j))
        if pivot <= 0:
            raise NotPositiveDefinite(j + 1)
        L[j][j] = mpmath.sqrt(pivot)
        for i in range(j + 1, n):
            L[i][j] = (A[i][j] - sum(L[i][k] * L[j][k] for k in range(j))) / L[j][j]
    return L


def transpose(A):
    return [list(column) for column in zip(*A)]


def product(A, B):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*B)] for row in A]


def identity(n):
    return [[mpf(int(i == j)) for j in range(n)] for i in range(n)]


def solve_lower(L, B):
    """L X = B by forward substitution: X_i = (B_i − Σ_k<i L_ik X_k) / L_ii."""
    X = []
    for i, b in enumerate(B):
        X.append([(b[j] - sum(L[i][k] * X[k][j] for k in range(i))) / L[i][i] for j in range(len(b))])
    return X


def solve_upper(U, B):
    """U X = B by backward substitution: reversing rows and columns of U makes it lower."""
    reverse = [row[::-1] for row in U[::-1]]
    return solve_lower(reverse, B[::-1])[::-1]


def norm1(A):
    """‖A‖₁, the largest absolute column sum."""
    return max(sum(abs(x) for x in column) for column in zip(*A))
