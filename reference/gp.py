"""Golden vectors for the Gaussian process: five likelihoods with all gradients, posteriors, leaving one out.

    python3 reference/gp.py            writes reference/golden/gp.json
    python3 reference/gp.py --check    recomputes and compares

Nothing here is a closed form of a gradient, nor the algebra of inducing points: the covariance S of the observations is
built entry by entry from its definition, n × n. Values come from its Cholesky factor with 60 decimal digits, gradients from
central differences in the same 60 digits (step 1e-20, so that 40 of them are right), all rounded once. PyTorch's autograd in
float64, through slogdet and solve of the same dense S, is asserted to agree as far as float64 can. Leaving one out leaves
one out.

n items, m inducing items, q items asked about, k targets. Entries of a matrix are independent: its gradient G means
dℓ = Σ_ij G_ij dX_ij over every ordered pair.
"""

import mpmath
import numpy as np
import torch
from mpmath import mpf

from exact import cholesky, exact, product, rounded, solve_lower, solve_upper, transpose
from goldenfile import case, main, matrix, vector
from linalg import Draw

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)  # one summation order

N, M, Q, K = 8, 4, 3, 3
STARTS = [0, 3, 4, 8]  # of pitc's blocks
JITTER = 1e-6  # relative to the mean of K_mm's diagonal, always added
STEP = mpf(10) ** -20
LIKELIHOODS = ("exact", "dtc", "fitc", "pitc", "vfe")
SPARSE = LIKELIHOODS[1:]
BLOCK = [next(b for b in range(len(STARTS)) if i < STARTS[b + 1]) for i in range(N)]


# --- Worlds: items, a link, and inducing items inside or outside the batch ---------------------------------------------


def kernel(world, A, B, same):
    """k = v·exp(−½φ(t)), t = Σ_j h_j (A_aj − B_bj)²; same[a] is the row of B that is the same item (Eqs. 5 and 7)."""
    link, h, b, v = (world[key] for key in ("link", "weights", "offset", "variance"))

    def entry(i, j):
        t = sum(mpf(w) * (mpf(x) - mpf(y)) ** 2 for w, x, y in zip(h, A[i], B[j])) if same[i] != j else mpf(0)
        phi = {
            "linear": lambda: t,
            "saturating": lambda: 1 - mpmath.exp(-t),
            "sigmoid": lambda: 1 / (1 + mpmath.exp(-t - b)),
        }[link]()
        return mpf(v) * mpmath.exp(-phi / 2)

    return rounded([[entry(i, j) for j in range(len(B))] for i in range(len(A))])


def smallest(A):
    """λ_min, all digits right: rounding of the largest eigenvalue would be seen in it."""
    return float(min(mpmath.eigsy(mpmath.matrix(exact(A)), eigvals_only=True)))


def build_world(link, inside):
    draw = Draw(f"gp-{link}")
    name = f"{link}-{'inside' if inside else 'outside'}"
    Z = [[draw.uniform(-1.5, 1.5, 3) for _ in range(2)] for _ in range(N)]
    Z[5] = [Z[4][0] + 0.02, Z[4][1] - 0.01]  # twins, but for a little
    X = [[draw.uniform(-1.5, 1.5, 3) for _ in range(2)] for _ in range(Q)]
    world = {
        "name": name,
        "link": link,
        "weights": [0.9, -0.4] if link == "sigmoid" else [0.9, 0.4],
        "offset": -0.3 if link == "sigmoid" else 0.0,
        "variance": 1.3,
        "Z": Z,
        "X": X,
        # twins both, where inside: K_mm is close to singular
        "rows": [0, 4, 5, 7] if inside else [-1] * M,
        "R": [[draw.normal(3) for _ in range(K)] for _ in range(N)],
        "noise": {
            "large": [draw.uniform(0.3, 0.9, 3) for _ in range(N)],
            "small": [draw.uniform(2e-5, 6e-5, 7) for _ in range(N)],
        },
    }
    outside = Draw(f"gp-inducing-{link}")
    world["Zm"] = [Z[i] for i in world["rows"]] if inside else [[outside.uniform(-1.5, 1.5, 3) for _ in range(2)] for _ in range(M)]
    own = list(range(N))
    column = [world["rows"].index(i) if i in world["rows"] else -1 for i in range(N)]
    world["same"] = column
    world["K"] = kernel(world, Z, Z, own)
    world["Knm"] = kernel(world, Z, world["Zm"], column)
    world["Kmm"] = kernel(world, world["Zm"], world["Zm"], own)
    world["Kxm"] = kernel(world, X, world["Zm"], [-1] * Q)
    world["Kxn"] = kernel(world, X, Z, [-1] * Q)
    world["self"] = float(world["K"][0][0])
    world["smallest"] = {"K": smallest(world["K"]), "Kmm": smallest(world["Kmm"])}
    assert (link == "sigmoid") == (world["smallest"]["K"] < -1e-9), world["smallest"]
    world["shift"] = {likelihood: shift_for(world, likelihood) for likelihood in LIKELIHOODS}
    return world


def shift_for(world, likelihood):
    """0, but for the sigmoid link: there what its kernel lacks, and for fitc and pitc so much more that Λ is positive definite."""
    if world["link"] != "sigmoid":
        return 0.0
    shift = float(np.ceil(1 - 100 * world["smallest"]["K" if likelihood == "exact" else "Kmm"]) / 100)
    if likelihood in ("fitc", "pitc"):
        Knm, noise = world["Knm"], np.diag(world["noise"]["large"])
        starts = range(N + 1) if likelihood == "fitc" else STARTS
        for _ in range(20):
            rest = world["K"] + noise - Knm @ np.linalg.solve(world["Kmm"] + shift * np.eye(M), Knm.T)
            if all(smallest(rest[a:b, a:b]) > 0.05 for a, b in zip(starts, starts[1:])):
                return shift
            shift = round(1.2 * shift + 0.1, 2)
        raise AssertionError("no shift will do")
    return shift


def world_case(world):
    inputs = {key: world[key] for key in ("link", "weights", "offset", "variance", "rows", "same")}
    inputs |= {key: matrix(world[key]) for key in ("Z", "Zm", "X", "R")}
    inputs |= {"noiseLarge": world["noise"]["large"], "noiseSmall": world["noise"]["small"], "starts": STARTS}
    outputs = {key: matrix(world[key]) for key in ("K", "Knm", "Kmm", "Kxm", "Kxn")}
    outputs |= {"self": world["self"], "smallestK": world["smallest"]["K"], "smallestKmm": world["smallest"]["Kmm"]}
    return case("world", world["name"], inputs, outputs)


# --- The covariance of the observations, from its definition, with 60 digits --------------------------------------------


def inverse_times(A, B):
    """A⁻¹B for a positive definite A."""
    L = cholesky(A)
    return solve_upper(transpose(L), solve_lower(L, B))


def whole_kmm(Kmm, shift):
    """K_mm + shift·I + ε·mean(diag)·I."""
    diagonal = [Kmm[i][i] + shift for i in range(len(Kmm))]
    added = shift + mpf(JITTER) * sum(diagonal) / len(Kmm)
    return [[x + (added if i == j else 0) for j, x in enumerate(row)] for i, row in enumerate(Kmm)]


def observed(likelihood, parts):
    """S (n, n), and Σ_i (k_ii − q_ii)/Σ_i."""
    noise, diagonal = parts["noise"], parts["diagonal"]
    n = len(noise)
    if likelihood == "exact":
        S = [row[:] for row in parts["K"]]
        for i in range(n):
            S[i][i] += noise[i] + parts["shift"]
        return S, None
    Knm = parts["Knm"]
    Qnn = product(Knm, inverse_times(whole_kmm(parts["Kmm"], parts["shift"]), transpose(Knm)))
    S = [row[:] for row in Qnn]
    for i in range(n):
        if likelihood == "fitc":
            S[i][i] = diagonal[i]
        if likelihood == "pitc":
            for j in range(n):
                if BLOCK[i] == BLOCK[j]:
                    first = STARTS[BLOCK[i]]
                    S[i][j] = parts["blocks"][BLOCK[i]][i - first][j - first]
        S[i][i] += noise[i]
    return S, sum((diagonal[i] - Qnn[i][i]) / noise[i] for i in range(n))


def nll(likelihood, parts):
    """(k/2)·log|S| + ½·tr(RᵀS⁻¹R), vfe + (k/2)·Σ_i(k_ii − q_ii)/Σ_i."""
    S, unexplained = observed(likelihood, parts)
    L = cholesky(S)
    c = solve_lower(L, parts["R"])
    k = len(c[0])
    value = k * sum(mpmath.log(L[i][i]) for i in range(len(L))) + sum(x * x for row in c for x in row) / 2
    return value + (mpf(k) / 2 * unexplained if likelihood == "vfe" else 0)


def differences(likelihood, parts, X, symmetric=False):
    """∂ℓ/∂X for a matrix or a vector inside `parts`. Mirror entries move together: each gets half."""
    rows = X if isinstance(X[0], list) else [X]
    gradient = [[mpf(0)] * len(row) for row in rows]
    for i, row in enumerate(rows):
        for j in range(i + 1 if symmetric else len(row)):
            cells = {(i, j), (j, i)} if symmetric else {(i, j)}
            values = []
            for sign in (1, -1):
                for a, b in cells:
                    rows[a][b] += sign * STEP
                values.append(nll(likelihood, parts))
                for a, b in cells:
                    rows[a][b] -= sign * STEP
            for a, b in cells:
                gradient[a][b] = (values[0] - values[1]) / (2 * STEP * len(cells))
    return gradient


def parts_of(world, likelihood, k, noise):
    """All that a likelihood is a function of, with 60 digits, from the float64 numbers that the file holds."""
    K = world["K"]
    return {
        "K": exact(K),
        "Knm": exact(world["Knm"]),
        "Kmm": exact(world["Kmm"]),
        "diagonal": [mpf(float(K[i][i])) for i in range(N)],
        "blocks": [exact(K[a:b, a:b]) for a, b in zip(STARTS, STARTS[1:])],
        "R": exact([row[:k] for row in world["R"]]),
        "noise": [mpf(x) for x in world["noise"][noise]],
        "shift": mpf(world["shift"][likelihood]),
    }


# --- The same definition in PyTorch, for its autograd --------------------------------------------------------------------


def autograd(likelihood, parts):
    def tensor(x):
        return torch.tensor(rounded(x) if isinstance(x[0], list) else [float(v) for v in x], requires_grad=True)

    t = {key: tensor(parts[key]) for key in ("K", "Knm", "Kmm", "diagonal", "noise", "R")}
    t["blocks"] = [tensor(block) for block in parts["blocks"]]
    shift, k = float(parts["shift"]), len(parts["R"][0])
    noise = torch.diag(t["noise"])
    extra = 0
    if likelihood == "exact":
        S = t["K"] + noise + shift * torch.eye(N)
    else:
        A = t["Kmm"] + shift * torch.eye(M)
        A = A + JITTER * A.diagonal().mean() * torch.eye(M)
        Qnn = t["Knm"] @ torch.linalg.solve(A, t["Knm"].T)
        S = Qnn + noise
        if likelihood == "fitc":
            S = S + torch.diag(t["diagonal"] - Qnn.diagonal())
        if likelihood == "pitc":
            S = S + torch.block_diag(*[B - Qnn[a:b, a:b] for B, a, b in zip(t["blocks"], STARTS, STARTS[1:])])
        if likelihood == "vfe":
            extra = k / 2 * ((t["diagonal"] - Qnn.diagonal()) / t["noise"]).sum()
    value = k / 2 * torch.linalg.slogdet(S)[1] + (t["R"] * torch.linalg.solve(S, t["R"])).sum() / 2 + extra
    value.backward()
    return float(value.detach()), t


def agree(what, exactly, torchs, tolerance):
    a = np.asarray(exactly, dtype=float).ravel()
    b = np.asarray(torchs.detach() if isinstance(torchs, torch.Tensor) else torchs, dtype=float).ravel()
    worst = float(np.max(np.abs(a - b))) / max(float(np.max(np.abs(a))), 1e-300)
    assert worst <= tolerance, f"{what}: autograd differs by {worst:.1e}"


def nll_case(world, likelihood, k, noise):
    parts = parts_of(world, likelihood, k, noise)
    name = f"{likelihood} {world['name']} k={k} noise={noise}"
    outputs = {"value": float(nll(likelihood, parts)), "noise": vector(differences(likelihood, parts, parts["noise"])[0])}
    matrices = {"K": True} if likelihood == "exact" else {"Knm": False, "Kmm": True}
    outputs |= {key: matrix(differences(likelihood, parts, parts[key], symmetric)) for key, symmetric in matrices.items()}
    if likelihood in ("fitc", "vfe"):
        outputs["diagonal"] = vector(differences(likelihood, parts, parts["diagonal"])[0])
    if likelihood == "pitc":
        for b, block in enumerate(parts["blocks"]):
            outputs[f"block{b}"] = matrix(differences(likelihood, parts, block, True))
    tolerance = 1e-5 if noise == "small" else 1e-9  # S then has a condition number of 1e6, which autograd pays twice
    value, tensors = autograd(likelihood, parts)
    agree(name, [outputs["value"]], [value], tolerance)
    for key in outputs:
        if key in tensors:
            numbers = outputs[key]["data"] if isinstance(outputs[key], dict) else outputs[key]
            agree(f"{name} {key}", numbers, tensors[key].grad, tolerance)
        if key.startswith("block"):
            agree(f"{name} {key}", outputs[key]["data"], tensors["blocks"][int(key[5:])].grad, tolerance)
    return case("nll", name, inputs_of(world, likelihood, noise) | {"k": k}, outputs)


def inputs_of(world, likelihood, noise):
    return {"world": world["name"], "likelihood": likelihood, "noise": noise, "shift": world["shift"][likelihood]}


# --- Posterior and leaving one out: conditional Gaussians of the dense joint ---------------------------------------------


def conditional(S, cross, R, prior):
    """Mean cross·S⁻¹R, weights cross·S⁻¹ and variance prior − cross·S⁻¹crossᵀ of each row of cross."""
    weights = transpose(inverse_times(S, transpose(cross)))
    mean = product(weights, R)
    variance = [p - sum(a * b for a, b in zip(w, c)) for p, w, c in zip(prior, weights, cross)]
    return mean, weights, variance


def projected(parts, Kxm):
    """Q_*n = K_*m K_mm⁻¹ K_mn."""
    return product(exact(Kxm), inverse_times(whole_kmm(parts["Kmm"], parts["shift"]), transpose(parts["Knm"])))


def posterior_case(world, likelihood, noise):
    parts = parts_of(world, likelihood, K, noise)
    S, _ = observed(likelihood, parts)
    cross = exact(world["Kxn"]) if likelihood == "exact" else projected(parts, world["Kxm"])
    mean, weights, variance = conditional(S, cross, parts["R"], [mpf(world["self"])] * Q)
    name = f"{likelihood} {world['name']} noise={noise}"
    outputs = {"mean": matrix(mean), "variance": vector(variance), "evidence": matrix(weights)}
    return case("posterior", name, inputs_of(world, likelihood, noise), outputs)


def without(items, i):
    return items[:i] + items[i + 1 :]


def leave_one_out_case(world, likelihood, noise):
    parts = parts_of(world, likelihood, K, noise)
    S, _ = observed(likelihood, parts)
    means, variances = [], []
    for i in range(N):
        rest = [without(row, i) for row in without(S, i)]
        own = parts["diagonal"][i] + parts["noise"][i] + (parts["shift"] if likelihood == "exact" else 0)
        mean, _, variance = conditional(rest, [without(S[i], i)], without(parts["R"], i), [own])
        means += mean
        variances += variance
    name = f"{likelihood} {world['name']} noise={noise}"
    outputs = {"mean": matrix(means), "variance": vector(variances)}
    return case("leaveOneOut", name, inputs_of(world, likelihood, noise), outputs)


def build_cases():
    cases = []
    for link in ("linear", "saturating", "sigmoid"):
        for inside in (True, False):
            world = build_world(link, inside)
            cases.append(world_case(world))
            for likelihood in LIKELIHOODS if inside else SPARSE:  # exact knows no inducing items
                # The little noise of `small` cannot outweigh what K − Q lacks under the sigmoid link
                for noise in ("large",) if link == "sigmoid" and likelihood in ("fitc", "pitc") else ("large", "small"):
                    cases += [nll_case(world, likelihood, k, noise) for k in (1, K)]
                    cases.append(posterior_case(world, likelihood, noise))
                    cases.append(leave_one_out_case(world, likelihood, noise))
    return cases


if __name__ == "__main__":
    main(__file__, build_cases, ("mpmath", "numpy", "torch"))
