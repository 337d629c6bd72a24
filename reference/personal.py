"""Golden vectors for personalisation: one user's likelihoods with gradient and Hessian, adaptation with its Jacobian, evidence.

    python3 reference/personal.py            writes reference/golden/personal.json
    python3 reference/personal.py --check    recomputes and compares

Everything is PyTorch autograd in float64 through the definitions of docs/personalisation.md; nothing is derived by hand. A process is
torch's multivariate normal, less its constant; a choice is a cross-entropy over the chosen item and the others; an adaptation is gradient
descent that autograd goes through; a rating is left out by leaving it out.

n items of the user, p channels, P parameters, s items and m others of a choice.
"""

import math
import random

import torch
from torch.nn import functional

from goldenfile import case, main, matrix, vector

torch.set_default_dtype(torch.float64)

CHANNELS = 3
LINKS = {
    "linear": lambda t, b: t,
    "saturating": lambda t, b: -torch.expm1(-t),
    "sigmoid": lambda t, b: torch.sigmoid(t + b),
}


def short(stream, low, high):
    return round(stream.uniform(low, high), 3)


def points(name, n):
    """(n, p, 2) Coordinates of items, two to a channel."""
    stream = random.Random(name)
    return torch.tensor([[[short(stream, -1, 1) for _ in range(2)] for _ in range(CHANNELS)] for _ in range(n)])


def distances(a, b):
    """(p, |a|, |b|) squared distances by channel."""
    return ((a[:, None] - b[None, :]) ** 2).sum(-1).permute(2, 0, 1)


def weights_of(x, positive):
    h = x[:CHANNELS]
    return functional.softplus(h) if positive else h


# --- A Gaussian process of the user's targets (Eq. 6 on one user) ---------------------------------------------------------


def kernel(d, x, link, positive, variance):
    t = torch.einsum("c,cij->ij", weights_of(x, positive), d)
    return variance * torch.exp(-0.5 * LINKS[link](t, x[CHANNELS] if link == "sigmoid" else 0.0))


def process_loss(d, x, targets, noise, link, positive, variance):
    n = len(targets)
    S = kernel(d, x, link, positive, variance) + torch.diag(noise)
    normal = torch.distributions.MultivariateNormal(torch.zeros(n), covariance_matrix=S)
    return (-normal.log_prob(targets) - 0.5 * n * math.log(2 * math.pi)) / n


def with_derivatives(loss, x):
    return {
        "value": float(loss(x)),
        "gradient": vector(torch.autograd.functional.jacobian(loss, x)),
        "hessian": matrix(torch.autograd.functional.hessian(loss, x)),
    }


def process_cases():
    for link, positive, variance in [
        ("linear", True, 1.3),
        ("linear", False, 0.7),
        ("saturating", True, 1.0),
        ("sigmoid", False, 2.0),
    ]:
        name = f"{link}-{'softplus' if positive else 'signed'}"
        stream = random.Random(f"process {name}")
        n = 7
        z = points(name, n)
        d = distances(z, z)
        targets = torch.tensor([short(stream, -2, 2) for _ in range(n)])
        noise = torch.tensor([short(stream, 0.2, 1.2) for _ in range(n)])
        x = torch.tensor([0.4, 0.2, 0.5] + ([-0.3] if link == "sigmoid" else []))
        loss = lambda y: process_loss(d, y, targets, noise, link, positive, variance)
        inputs = {
            "link": link,
            "softplus": positive,
            "variance": variance,
            "distances": [vector(channel.flatten()) for channel in d],
            "targets": vector(targets),
            "noise": vector(noise),
            "x": vector(x),
        }
        yield case("process", name, inputs, with_derivatives(loss, x))
        for steps in (1, 3):
            rate = 0.2

            def adapted(y):
                for _ in range(steps):
                    y = y - rate * torch.autograd.grad(loss(y), y, create_graph=True)[0]
                return y

            start = x.clone().requires_grad_(True)
            jacobian = torch.stack(
                [torch.autograd.grad(adapted(start)[i], start)[0] for i in range(len(x))]
            )  # ∂κ_i/∂w_j
            outputs = {"point": vector(adapted(start).detach()), "jacobian": matrix(jacobian)}
            yield case("adaptation", f"{name}-{steps}", {**inputs, "rate": rate, "steps": steps}, outputs)


# --- The choices of a user ------------------------------------------------------------------------------------------------


def choice_cases():
    for name, s, m, positive in [("two-items", 2, 1, False), ("signed", 4, 6, False), ("softplus", 5, 9, True)]:
        stream = random.Random(f"choice {name}")
        temperature = 0.3
        z = points(f"choice {name}", s + m)
        logq = torch.tensor([short(stream, -9, -2) for _ in range(s + m)])
        shares = torch.tensor([short(stream, 1, 20) for _ in range(m)])
        d = distances(z[:s], z)
        x = torch.tensor([0.4, 0.2, 0.5, 0.6])

        def loss(y):
            logits = -torch.einsum("c,cij->ij", weights_of(y, positive), d) / temperature + y[CHANNELS] * logq
            total = 0.0
            for i in range(s):
                for j in range(s):
                    if i == j:
                        continue
                    row = torch.cat([logits[i, j : j + 1], logits[i, s:] + torch.log(shares)])
                    total = total + functional.cross_entropy(row[None], torch.tensor([0]))
            return total / (s * (s - 1))

        inputs = {
            "softplus": positive,
            "temperature": temperature,
            "own": [vector(channel[:, :s].flatten()) for channel in d],
            "others": [vector(channel[:, s:].flatten()) for channel in d],
            "logPopularity": vector(logq),
            "shares": vector(shares),
            "x": vector(x),
        }
        yield case("choice", name, inputs, with_derivatives(loss, x))


# --- Evidence: the mean of a rating, and what it would be without each of the others ----------------------------------------


def evidence_cases():
    stream = random.Random("evidence")
    n, variance, noise = 6, 1.5, 0.3
    z = points("evidence", n + 1)
    x = torch.tensor([0.8, 0.4, 0.3])
    ratings = torch.tensor([short(stream, 1, 5) for _ in range(n)])
    k = kernel(distances(z, z), x, "linear", False, variance)

    def mean(kept):
        S = k[kept][:, kept] + noise * torch.eye(len(kept))
        centre = float(ratings[kept].mean())  # without a rating the mean moves too
        return centre + float(k[n, kept] @ torch.linalg.solve(S, ratings[kept] - centre))

    everyone = list(range(n))
    S = k[:n, :n] + noise * torch.eye(n)
    omega = torch.linalg.solve(S, k[n, :n])
    outputs = {
        "mean": mean(everyone),
        "variance": float(k[n, n] - k[n, :n] @ omega),
        "contributions": vector(omega * (ratings - ratings.mean())),
        "without": [mean([j for j in everyone if j != i]) for i in everyone],
    }
    inputs = {
        "coordinates": [vector(item.flatten()) for item in z],
        "weights": vector(x),
        "variance": variance,
        "noise": noise,
        "ratings": vector(ratings),
    }
    yield case("evidence", "six-ratings", inputs, outputs)


def build_cases():
    return [*process_cases(), *choice_cases(), *evidence_cases()]


if __name__ == "__main__":
    main(__file__, build_cases, ["torch"])
