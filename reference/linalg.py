"""Golden vectors for the numerical core: factorisations, the fused kernel pass, small losses, random bits, top-k.

    python3 reference/linalg.py            writes reference/golden/linalg.json
    python3 reference/linalg.py --check    recomputes and compares

Factorisations and scalar functions are computed with 60 decimal digits and rounded once, so every printed digit is
right, also where float64 would lose half of them. Gradients come from PyTorch autograd in float64 through the plain
definition; the closed form that the product uses is written beside it and asserted to agree.

n rows, m columns, D embedding columns (all channels side by side), q queries, c candidates.
Equations carry the paper's printed numbers: Eq. 5 is k = exp(−½D), Eq. 7 the sigmoid ensemble D = σ(Σ h_c d_c + b).
"""

import random
from statistics import NormalDist

import mpmath
import numpy as np
import torch
from mpmath import mpf

from exact import (
    NotPositiveDefinite,
    cholesky,
    exact,
    identity,
    norm1,
    product,
    rounded,
    solve_lower,
    solve_upper,
    transpose,
)
from goldenfile import case, main, matrix, vector

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)  # one summation order


# --- Inputs: drawn by name, so that a new case leaves the others as they are ------------------------------------------


class Draw:
    """Short decimals from a stream that depends on the name alone."""

    def __init__(self, name):
        self.stream = random.Random(name)  # .random() and seeding by text are the same in every Python 3

    def uniform(self, low, high, digits=4):
        return round(low + (high - low) * self.stream.random(), digits)

    def normal(self, digits=4):
        return round(NormalDist().inv_cdf(self.stream.random() or 0.5), digits)

    def normals(self, rows, columns, digits=4):
        return np.array([[self.normal(digits) for _ in range(columns)] for _ in range(rows)])  # (rows, columns)


# --- Cholesky: A = L Lᵀ -----------------------------------------------------------------------------------------------


def well_conditioned(name, n):
    """M Mᵀ/n + I, to six decimals."""
    M = Draw(name).normals(n, n)
    return np.round(rounded(product(exact(M), exact(M.T))) / n, 6) + np.eye(n)


def close_points(n, variance=2.5, jitter=1e-6):
    """v·exp(−½(x_i − x_j)²) + 1e-6·v·I at n points spread over one length scale."""
    x = [mpf(i) / n for i in range(n)]
    K = [[variance * mpmath.exp(-((a - b) ** 2) / 2) for b in x] for a in x]
    return rounded([[K[i][j] + (jitter * variance if i == j else 0) for j in range(n)] for i in range(n)])


def cholesky_case(name, A):
    inputs = {"A": matrix(A)}
    A = exact(A)
    try:
        L = cholesky(A)
    except NotPositiveDefinite as error:
        return case("cholesky", name, inputs, {"failingPivot": error.args[0]})
    inverse = solve_upper(transpose(L), solve_lower(L, identity(len(A))))  # A⁻¹ = L⁻ᵀ L⁻¹
    outputs = {
        "L": matrix(L),
        "logdet": float(2 * sum(mpmath.log(L[i][i]) for i in range(len(A)))),  # log|A| = 2 Σ log L_ii
        "inverse": matrix(inverse),
        "conditionNumber": float(norm1(A) * norm1(inverse)),  # in the 1-norm; f64 loses about this many ulps
    }
    return case("cholesky", name, inputs, outputs)


def cholesky_cases():
    for n in (1, 5, 17, 40):
        yield cholesky_case(f"well-conditioned-{n}", well_conditioned(f"cholesky-{n}", n))
    for n in (5, 17, 40):
        yield cholesky_case(f"ill-conditioned-{n}", close_points(n))

    # Not positive definite: exactly singular, the first entry, inside, in the last row, and past a block of 64.
    yield cholesky_case("singular-2", np.array([[1.0, 1.0], [1.0, 1.0]]))
    for n, pivot in ((1, 1), (5, 3), (17, 17), (70, 67)):
        A = np.round(well_conditioned(f"not-positive-definite-{n}", n), 2)
        A[pivot - 1, pivot - 1] -= 4.0
        yield cholesky_case(f"not-positive-definite-{n}", np.round(A, 2))


def triangular_solve_cases():
    """left: op(L) X = B with B (n, k);  right: X op(L) = B with B (k, n);  op(L) = Lᵀ where transpose is true."""
    factors = [
        ("well-conditioned", 1, 1, well_conditioned("solve-1", 1)),
        ("well-conditioned", 5, 3, well_conditioned("solve-5", 5)),
        ("well-conditioned", 17, 6, well_conditioned("solve-17", 17)),
        ("ill-conditioned", 17, 3, close_points(17)),
    ]
    for kind, n, k, A in factors:
        L = rounded(cholesky(exact(A)))
        for side in ("left", "right"):
            B = Draw(f"solve-{kind}-{n}-{side}").normals(*((n, k) if side == "left" else (k, n)))
            for transposed in (False, True):
                # X op(L) = B  ⇔  op(L)ᵀ Xᵀ = Bᵀ: from the right it is the other triangle.
                right_hand_side = exact(B if side == "left" else B.T)
                if transposed == (side == "left"):
                    X = solve_upper(transpose(exact(L)), right_hand_side)
                else:
                    X = solve_lower(exact(L), right_hand_side)
                inputs = {"L": matrix(L), "B": matrix(B), "side": side, "transpose": transposed}
                name = f"{kind}-{n}-{side}{'-transpose' if transposed else ''}"
                yield case("triangularSolve", name, inputs, {"X": matrix(X if side == "left" else transpose(X))})


def cholesky_update_case(name, L, x, sign):
    inputs = {"L": matrix(L), "x": vector(x), "sign": sign}
    L, x = exact(L), [mpf(float(value)) for value in x]
    LLt = product(L, transpose(L))
    A = [[LLt[i][j] + sign * x[i] * x[j] for j in range(len(x))] for i in range(len(x))]
    try:
        outputs = {"L": matrix(cholesky(A))}
    except NotPositiveDefinite as error:
        outputs = {"failingPivot": error.args[0]}
    return case("choleskyUpdate", name, inputs, outputs)


def cholesky_update_cases():
    """L′L′ᵀ = LLᵀ ± xxᵀ. With x = Lu the lower sign needs ‖u‖ < 1, and ‖u‖² → 1 makes L′ singular."""
    for n in (1, 5, 17):
        L = rounded(cholesky(exact(well_conditioned(f"update-{n}", n))))
        u = Draw(f"update-u-{n}").normals(n, 1)  # (n, 1)
        u /= np.sqrt(np.sum(u**2))
        x = rounded(product(exact(L), exact(u)))[:, 0]  # (n,)
        yield cholesky_update_case(f"up-{n}", L, np.round(2 * x, 4), 1)
        yield cholesky_update_case(f"down-{n}", L, np.round(0.8 * x, 4), -1)
        if n == 5:
            yield cholesky_update_case("up-by-zero-5", L, np.zeros(n), 1)
            yield cholesky_update_case("down-almost-singular-5", L, np.round(x * (1 - 5e-7), 12), -1)
            yield cholesky_update_case("down-too-far-5", L, np.round(1.3 * x, 4), -1)


# --- Kernel: distance → link → kernel in one pass ---------------------------------------------------------------------


def link(name, t, offset):
    """φ(t) and φ′(t). Eq. 7 is the sigmoid link; the other two have no offset."""
    if name == "sigmoid":
        D = torch.sigmoid(t + offset)
        return D, D * torch.sigmoid(-t - offset)  # φ′ = D(1 − D)
    if name == "linear":
        return t, torch.ones_like(t)
    if name == "saturating":
        return -torch.expm1(-t), torch.exp(-t)
    raise ValueError(name)


def kernel_forward(Za, Zb, H, link_name, offset, variance, same):
    """Za (n, D), Zb (m, D), H (D,), same (n, m) true where row and column are one item → t, K, ∂k/∂t, each (n, m)."""
    t = (H * (Za[:, None, :] - Zb[None, :, :]) ** 2).sum(-1)  # t_ab = Σ_j H_j (Za_aj − Zb_bj)²
    t = torch.where(same, torch.zeros_like(t), t)
    phi, slope_of_phi = link(link_name, t, offset)
    K = variance * torch.exp(-phi / 2)  # Eq. 5 with signal variance v
    return t, K, -slope_of_phi * K / 2


def kernel_backward(Za, Zb, H, G, K, slope, variance):
    """The closed form, in NumPy: G = ∂ℓ/∂K → the gradients of ℓ by two products, with no (n, m, D) array.

    G_t = G∘∂k/∂t, ρ and γ its row and column sums:  ∂ℓ/∂Z_a = 2(diag(ρ)Z_a − G_t Z_b)H,  ∂ℓ/∂Z_b likewise with G_tᵀ,
    ∂ℓ/∂H = Σ_a ρ_a Z_a² + Σ_b γ_b Z_b² − 2 Σ_a Z_a∘(G_t Z_b),  ∂ℓ/∂b = Σ G_t,  ∂ℓ/∂v = Σ G∘K / v.
    """
    Gt = G * slope  # (n, m)
    rho, gamma = Gt.sum(1), Gt.sum(0)  # (n,), (m,)
    W = Gt @ Zb  # (n, D)
    return {
        "dZa": 2 * (rho[:, None] * Za - W) * H,
        "dZb": 2 * (gamma[:, None] * Zb - Gt.T @ Za) * H,
        "dColumnWeights": rho @ Za**2 + gamma @ Zb**2 - 2 * (Za * W).sum(0),
        "dOffset": Gt.sum(),
        "dVariance": (G * K).sum() / variance,
    }


def kernel_case(name, Za, Zb, same_column, widths, weights, link_name, offset, variance, G):
    """same_column[a]: the column that is the same item as row a, or −1."""
    n, m = G.shape
    column_weights = np.repeat(weights, widths)  # (D,): h_c over the columns of channel c
    same_items = n == m and list(same_column) == list(range(n))

    Za_, Zb_, H_, b_, v_ = leaves = [
        torch.tensor(x, requires_grad=True) for x in (Za, Zb, column_weights, float(offset), float(variance))
    ]
    same = torch.tensor(np.array(same_column)[:, None] == np.arange(m))  # (n, m)
    t, K, slope = kernel_forward(Za_, Zb_, H_, link_name, b_, v_, same)
    loss = (torch.tensor(G) * K).sum()  # ℓ = Σ_ab G_ab K_ab
    gradients = torch.autograd.grad(loss, leaves, allow_unused=True, materialize_grads=True)
    dZa, dZb, dH, db, dv = (g.numpy() for g in gradients)
    t, K, slope = (x.detach().numpy() for x in (t, K, slope))

    closed = kernel_backward(Za, Zb, column_weights, G, K, slope, variance)
    if link_name != "sigmoid":
        closed["dOffset"] = 0.0
    for key, value in (("dZa", dZa), ("dZb", dZb), ("dColumnWeights", dH), ("dOffset", db), ("dVariance", dv)):
        assert np.allclose(closed[key], value, rtol=0, atol=1e-12 * max(1, np.abs(value).max())), (name, key)

    # An item that is a row and a column has the sum of both roles: dZ = dZa, then scatter-add dZb.
    dZ = dZa.copy()
    for a, b in enumerate(same_column):
        if b >= 0:
            dZ[a] += dZb[b]
    if same_items:  # the same, as one product: ∂ℓ/∂Z = 4(diag(ρ)Z − G_t Z)H for symmetric G
        Gt = G * slope
        assert np.allclose(dZ, 4 * (Gt.sum(1)[:, None] * Za - Gt @ Za) * column_weights, rtol=0, atol=1e-12)

    channel_ends = np.cumsum(widths)
    inputs = {
        "Za": matrix(Za),
        "Zb": matrix(Zb),
        "sameItems": same_items,
        "sameColumn": [int(b) for b in same_column],
        "channelWidths": list(widths),
        "channelWeights": vector(weights),
        "columnWeights": vector(column_weights),
        "link": link_name,
        "offset": float(offset),
        "variance": float(variance),
        "G": matrix(G),
    }
    outputs = {
        "total": matrix(t),
        "K": matrix(K),
        "slope": matrix(slope),
        "dZa": matrix(dZa),
        "dZb": matrix(dZb),
        "dColumnWeights": vector(dH),
        "dChannelWeights": vector(dH[end - width : end].sum() for end, width in zip(channel_ends, widths)),
        "dOffset": float(db),
        "dVariance": float(dv),
    }
    if max(same_column) >= 0:
        outputs["dZ"] = matrix(dZ)
    return case("kernel", name, inputs, outputs)


def kernel_cases():
    widths = (3, 5, 2)  # three channels
    D = sum(widths)
    settings = [
        ("sigmoid", "sigmoid", (0.9, 0.3, 1.4), -0.7, 1.0),
        ("sigmoid-negative", "sigmoid", (0.8, -0.35, 0.0), 0.4, 1.3),
        ("linear", "linear", (0.25, 0.1, 0.4), 0.0, 1.7),
        ("saturating", "saturating", (0.2, 0.15, 0.05), 0.0, 0.6),
    ]
    for label, link_name, weights, offset, variance in settings:
        draw = Draw(f"kernel-{label}")
        common = (widths, weights, link_name, offset, variance)

        Za, Zb = draw.normals(7, D), draw.normals(5, D)
        yield kernel_case(f"{label}-different-items", Za, Zb, [-1] * 7, *common, draw.normals(7, 5))

        Z, G = draw.normals(6, D), draw.normals(6, 6)
        yield kernel_case(f"{label}-same-items", Z, Z, range(6), *common, np.round((G + G.T) / 2, 5))

        # Inducing columns among the rows: rows 7, 2, 0, 5 are columns 0, 1, 2, 3.
        Z, inducing = draw.normals(9, D), [7, 2, 0, 5]
        same_column = [inducing.index(a) if a in inducing else -1 for a in range(9)]
        yield kernel_case(f"{label}-inducing-subset", Z, Z[inducing], same_column, *common, draw.normals(9, 4))

    # Sizes that are no multiple of any tile; one row, one column, one embedding column.
    draw = Draw("kernel-odd-sizes")
    Za, Zb, G = draw.normals(19, 13), draw.normals(11, 13), draw.normals(19, 11)
    yield kernel_case("linear-19-by-11", Za, Zb, [-1] * 19, (13,), (0.12,), "linear", 0, 1.1, G)
    Za, Zb, G = draw.normals(1, 1), draw.normals(1, 1), draw.normals(1, 1)
    yield kernel_case("sigmoid-1-by-1", Za, Zb, [-1], (1,), (2.5,), "sigmoid", -0.3, 0.8, G)

    # Near and far: t from 0 for two items at one place, over 1e-6, to thousands, where k and every slope underflow.
    x = np.array([[0.0], [0.0], [0.001], [1.0], [6.0], [30.0], [80.0]])
    G = Draw("kernel-near-and-far").normals(7, 7)
    G = np.round((G + G.T) / 2, 5)
    for link_name, weight, offset in (("linear", 1.0, 0), ("sigmoid", 1.0, -0.5), ("saturating", 1.0, 0)):
        yield kernel_case(f"{link_name}-near-and-far", x, x, range(7), (1,), (weight,), link_name, offset, 1.0, G)
    yield kernel_case("sigmoid-negative-near-and-far", x, x, range(7), (1,), (-1.0,), "sigmoid", 0.5, 1.0, G)


# --- Losses and steps of training -------------------------------------------------------------------------------------


def softmax_cross_entropy_case(name, logits, labels, offsets):
    """ℓ = mean_i ( log Σ_j e^{s_ij} − s_{i,y_i} ),  s = logits − offsets (the logQ correction)."""
    leaf = torch.tensor(logits, requires_grad=True)
    s = leaf - torch.tensor(offsets)  # (q, c) − (c,)
    s = s - s.detach().amax(dim=1, keepdim=True)  # ℓ does not change, and e^s stays exact for large logits
    loss = (s.exp().sum(1).log() - s[torch.arange(len(labels)), torch.tensor(labels)]).mean()
    (gradient,) = torch.autograd.grad(loss, leaf)

    onehot = np.eye(logits.shape[1])[labels]
    closed = (torch.softmax(s, dim=1).detach().numpy() - onehot) / len(labels)  # ∂ℓ/∂s = (softmax(s) − onehot(y))/q
    assert np.allclose(gradient.numpy(), closed, rtol=0, atol=1e-15)
    inputs = {"logits": matrix(logits), "labels": labels, "offsets": vector(offsets)}
    return case("softmaxCrossEntropy", name, inputs, {"loss": loss.item(), "dLogits": matrix(gradient)})


def softmax_cross_entropy_cases():
    draw = Draw("softmax")
    log_q = np.array([draw.uniform(-9, -2) for _ in range(9)])
    yield softmax_cross_entropy_case("log-q", draw.normals(6, 9) * 3, [0, 8, 3, 3, 5, 1], log_q)
    yield softmax_cross_entropy_case("no-offsets", draw.normals(5, 5), [0, 1, 2, 3, 4], np.zeros(5))
    yield softmax_cross_entropy_case("one-candidate", draw.normals(2, 1), [0, 0], np.zeros(1))
    large = np.array([[1000.0, 999.5, -1000.0], [-2000.0, -2001.0, -1999.0], [0.0, 800.0, 0.0]])
    yield softmax_cross_entropy_case("large-logits", large, [0, 2, 0], np.zeros(3))


def adamw_case(name, parameter, gradients, lr, betas, eps, weight_decay):
    """torch.optim.AdamW; θ, m, v after one step per gradient, asserted equal to the algorithm as printed."""
    leaf = torch.tensor(parameter, requires_grad=True)
    optimizer = torch.optim.AdamW([leaf], lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
    for gradient in gradients:
        leaf.grad = torch.tensor(gradient)
        optimizer.step()
    state = optimizer.state[leaf]

    theta, m, v = parameter.copy(), np.zeros_like(parameter), np.zeros_like(parameter)
    for step, g in enumerate(gradients, start=1):
        theta = theta - lr * weight_decay * theta  # decoupled
        m = betas[0] * m + (1 - betas[0]) * g
        v = betas[1] * v + (1 - betas[1]) * g**2
        m_hat, v_hat = m / (1 - betas[0] ** step), v / (1 - betas[1] ** step)
        theta = theta - lr * m_hat / (np.sqrt(v_hat) + eps)  # eps outside the root, after the bias correction
    outputs = {"parameter": leaf.detach(), "m": state["exp_avg"], "v": state["exp_avg_sq"]}
    for key, value in (("parameter", theta), ("m", m), ("v", v)):
        assert np.allclose(outputs[key].numpy(), value, rtol=1e-13, atol=1e-16), (name, key)

    inputs = {
        "parameter": vector(parameter),
        "gradients": [vector(g) for g in gradients],
        "lr": lr,
        "betas": list(betas),
        "eps": eps,
        "weightDecay": weight_decay,
    }
    return case("adamw", name, inputs, {key: vector(value) for key, value in outputs.items()})


def adamw_cases():
    for name, lr, betas, eps, weight_decay in (
        ("usual", 1e-3, (0.9, 0.999), 1e-8, 0.01),
        ("no-decay", 0.05, (0.9, 0.99), 1e-8, 0.0),
        ("large-eps", 0.1, (0.8, 0.95), 0.1, 0.1),
    ):
        draw = Draw(f"adamw-{name}")
        gradients = draw.normals(3, 11)
        gradients[:, 0] = 0.0  # a parameter that no example touched
        gradients[:2, 1] = 0.0  # one that is touched late
        gradients[:, 2] *= 1e-6
        yield adamw_case(name, draw.normals(1, 11)[0], gradients, lr, betas, eps, weight_decay)


def activation_cases():
    """Right to the last bit: 60 digits, rounded once. relu′(0) = 0."""
    tiny = [10.0**-e for e in range(3, 13)]
    draw = Draw("activations")
    spread = [i * 1.25 for i in range(1, 33)] + [draw.uniform(0, 6) for _ in range(20)]
    x = sorted({sign * value for value in tiny + spread for sign in (-1, 1)}) + [0.0, -0.0]

    def sigmoid(value):
        return 1 / (1 + mpmath.exp(-value))

    functions = {
        "exp": mpmath.exp,
        "tanh": mpmath.tanh,
        "sigmoid": sigmoid,
        "relu": lambda value: max(value, mpf(0)),
        "dExp": mpmath.exp,
        "dTanh": lambda value: mpmath.sech(value) ** 2,  # 1 − tanh²
        "dSigmoid": lambda value: sigmoid(value) * sigmoid(-value),
        "dRelu": lambda value: mpf(int(value > 0)),
    }
    outputs = {name: [float(f(mpf(value))) for value in x] for name, f in functions.items()}
    outputs["tanh"][-1] = -0.0  # tanh is odd
    yield case("activations", "all", {"x": x}, outputs)


# --- Random bits ------------------------------------------------------------------------------------------------------


def philox4x32(counter, key, rounds=10):
    """Philox4x32-10 of Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (SC 2011)."""
    x0, x1, x2, x3 = counter
    k0, k1 = key
    for _ in range(rounds):
        high0, low0 = divmod(0xD2511F53 * x0, 2**32)
        high1, low1 = divmod(0xCD9E8D57 * x2, 2**32)
        x0, x1, x2, x3 = high1 ^ x1 ^ k0, low1, high0 ^ x3 ^ k1, low0
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32  # golden ratio, √3 − 1
    return [x0, x1, x2, x3]


PHILOX_PUBLISHED = [  # counter, key, answer
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


def philox_cases():
    """The words are listed from the least significant (x0) on, as the paper's authors do."""

    def words(text):
        return [int(word, 16) for word in text.split()]

    for counter, key, answer in PHILOX_PUBLISHED:
        assert philox4x32(words(counter), words(key)) == words(answer)
    published = [(words(counter), words(key)) for counter, key, _ in PHILOX_PUBLISHED]
    stream = random.Random("philox")
    consecutive = [([i, 0, 0, 0], [20220328, 7]) for i in range(8)]
    carries = [([2**32 - 1, i, 0, 0], [1, 0]) for i in range(2)]
    scattered = [([int(stream.random() * 2**32) for _ in range(4)], [int(stream.random() * 2**32) for _ in range(2)])
                 for _ in range(8)]  # fmt: skip
    for name, pairs in (("published", published), ("consecutive", consecutive + carries), ("scattered", scattered)):
        counters, keys = [counter for counter, _ in pairs], [key for _, key in pairs]
        inputs = {"counters": counters, "keys": keys}
        yield case("philox", name, inputs, {"words": [philox4x32(counter, key) for counter, key in pairs]})


def normal_quantile(p):
    """Φ(z) = ½ erfc(−z/√2) = p by Newton's method on log Φ, which stays in range where p = 1e-300."""
    z = mpf(NormalDist().inv_cdf(p))
    for _ in range(8):
        cdf = mpmath.erfc(-z / mpmath.sqrt(2)) / 2
        density = mpmath.exp(-(z**2) / 2) / mpmath.sqrt(2 * mpmath.pi)
        z -= mpmath.log(cdf / mpf(p)) * cdf / density
    assert abs(mpmath.erfc(-z / mpmath.sqrt(2)) / 2 / mpf(p) - 1) < mpf(10) ** -40
    return z


def normal_quantile_cases():
    exponents = (300, 250, 200, 150, 100, 80, 60, 50, 40, 30, 25, 20, 17, 16, 15, 14, 12, 10, 8, 6, 5, 4)
    lower_tail = [10.0**-e for e in exponents]
    centre = [0.01, 0.02, 0.024, 0.0245, 0.025, 0.05, 0.074, 0.075, 0.076, 0.1, 0.2, 0.3, 0.4, 0.45, 0.499, 0.5]
    upper = [0.501, 0.6, 0.7, 0.8, 0.9, 0.925, 0.975, 0.99]
    upper_tail = [1 - 10.0**-e for e in range(3, 17)]  # the last is the largest float64 below 1
    p = lower_tail + centre + upper + upper_tail
    assert len(p) == len(set(p)) == 60 and max(p) < 1
    z = [float(normal_quantile(value)) if value != 0.5 else 0.0 for value in p]
    yield case("normalQuantile", "60-values", {"p": p}, {"z": z})


# --- Exact top-k ------------------------------------------------------------------------------------------------------


def scan_case(name, rows, query, k):
    """Scores rows·query; the k best by score descending, then index ascending.

    All entries are multiples of a power of two so that every sum is exact, in float32 too: a tie is a tie in any order.
    """
    scores = rows @ query  # (n,)
    single = rows.astype(np.float32).astype(float) @ query.astype(np.float32).astype(float)
    assert np.array_equal(scores, single) and np.array_equal(scores, scores.astype(np.float32))
    best = sorted(range(len(rows)), key=lambda i: (-scores[i], i))[:k]
    inputs = {"rows": matrix(rows), "query": vector(query), "k": k}
    return case("scan", name, inputs, {"indices": best, "scores": vector(scores[best])})


def scan_cases():
    draw = Draw("scan")
    rows, query = np.round(draw.normals(50, 7) * 256) / 256, np.round(draw.normals(1, 7)[0] * 256) / 256
    yield scan_case("distinct", rows, query, 10)

    rows, query = np.round(draw.normals(50, 7)), np.round(draw.normals(1, 7)[0] * 2) / 2
    order = sorted(range(50), key=lambda i: (-(rows[i] @ query), i))
    rows[order[-1]] = rows[order[0]]  # the best row twice,
    rows[order[-4:-1]] = rows[order[8]]  # and three more of the ninth, now the tenth: the tie lies across the cut
    scores = np.sort(rows @ query)[::-1]
    assert scores[0] == scores[1] and scores[9] == scores[10]
    yield scan_case("ties", rows, query, 10)
    yield scan_case("all-equal", np.ones((50, 7)), np.ones(7), 10)
    yield scan_case("fewer-rows-than-k", rows[:4], query, 10)


# ----------------------------------------------------------------------------------------------------------------------


def build_cases():
    groups = (
        cholesky_cases,
        triangular_solve_cases,
        cholesky_update_cases,
        kernel_cases,
        softmax_cross_entropy_cases,
        adamw_cases,
        activation_cases,
        philox_cases,
        normal_quantile_cases,
        scan_cases,
    )
    return [one for group in groups for one in group()]


if __name__ == "__main__":
    main(__file__, build_cases, ("numpy", "torch", "mpmath"), elementwise=("activations", "normalQuantile"))
