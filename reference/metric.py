"""Golden vectors for the metric: towers, the ensemble with missing values and cold items, three losses, all gradients.

    python3 reference/metric.py            writes reference/golden/metric.json
    python3 reference/metric.py --check    recomputes and compares

Everything is PyTorch in float64: towers are torch.nn.Linear, the identity table torch.nn.Embedding, distances the plain
sum over pairs of items and channels, and every gradient comes from autograd.

n items, p channels, e embedding columns (all channels side by side), h hidden units, B pairs.
Equations carry the paper's printed numbers: Eq. 1 the distance under Λ, Eq. 2 the contrastive loss, Eq. 7 the sigmoid
ensemble; the tower is that of App. A.2.
"""

import random
from statistics import NormalDist

import torch
from torch.nn import functional

from goldenfile import case, main, matrix

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)  # one summation order


class Draw:
    """Short decimals from a stream that depends on the name alone."""

    def __init__(self, name):
        self.stream = random.Random(name)

    def normal(self, scale=1.0):
        return round(scale * NormalDist().inv_cdf(self.stream.random() or 0.5), 4)

    def normals(self, rows, columns, scale=1.0):
        return torch.tensor([[self.normal(scale) for _ in range(columns)] for _ in range(rows)])

    def chance(self, probability):
        return self.stream.random() < probability


# --- Towers: tanh(W₃ σ(W₂ relu(W₁x + b₁) + b₂) + b₃), App. A.2 --------------------------------------------------------

LAYERS = ("1", "2", "3")


def tower_parameters(draw, name, d, h, e, scale=0.7):
    """Named as in the product: w (inputs, outputs), b (1, outputs)."""
    widths = ((d, 2 * h), (2 * h, h), (h, e))
    return {
        f"{name}.{kind}{layer}": draw.normals(rows if kind == "w" else 1, columns, scale)
        for layer, (rows, columns) in zip(LAYERS, widths)
        for kind in "wb"
    }


def tower(parameters, name, X):
    """X (n, d) → (n, e), through torch's own linear layers, whose weights are (outputs, inputs)."""
    activations = (torch.relu, torch.sigmoid, torch.tanh)
    for layer, activation in zip(LAYERS, activations):
        X = activation(functional.linear(X, parameters[f"{name}.w{layer}"].T, parameters[f"{name}.b{layer}"][0]))
    return X


def tower_case(name, X, parameters, G):
    """ℓ = Σ G∘Z."""
    leaves = {key: value.clone().requires_grad_() for key, value in parameters.items()}
    Z = tower(leaves, "t", X)
    gradients = torch.autograd.grad((G * Z).sum(), list(leaves.values()))
    inputs = {"X": matrix(X), "G": matrix(G), "parameters": {k: matrix(v) for k, v in parameters.items()}}
    outputs = {"Z": matrix(Z.detach()), **{f"d {key}": matrix(g) for key, g in zip(leaves, gradients)}}
    return case("tower", name, inputs, outputs)


def tower_cases():
    for name, rows, d, h, e, spread in (
        ("small", 6, 4, 3, 2, 1.0),
        ("one-row", 1, 5, 2, 3, 1.0),
        ("saturated", 7, 3, 4, 5, 20.0),
        ("odd-sizes", 13, 9, 7, 11, 1.0),
    ):
        draw = Draw(f"tower-{name}")
        parameters = tower_parameters(draw, "t", d, h, e)
        yield tower_case(name, draw.normals(rows, d, spread), parameters, draw.normals(rows, e))


# --- The ensemble -----------------------------------------------------------------------------------------------------


class World:
    """Items with a sparse, a dense and an identity channel; some values are missing, some items cold."""

    def __init__(self, name, scale, weights):
        draw = self.draw = Draw(f"ensemble-{name}")
        self.n, self.h, self.scale, self.weights = 10, 3, scale, weights
        self.channels = [("genres", "sparse", 6, 3), ("plot", "dense", 4, 2), ("self", "identity", 7, 2)]
        self.missing = [[int(draw.chance(0.3)) for _ in range(self.n)] for _ in self.channels]
        self.terms = [[j for j in range(6) if draw.chance(0.4)] for _ in range(self.n)]
        self.value = 0.55  # of every entry of a sparse row
        self.dense = draw.normals(self.n, 4)
        warm = [i for i in range(self.n) if not self.missing[2][i]][:7]
        self.missing[2] = [int(i not in warm) for i in range(self.n)]
        self.rows = [warm.index(i) if i in warm else 0 for i in range(self.n)]
        self.scales = [0.6, 1.7, 0.35]  # s_c
        self.lengths = [0.9, 0.4, 0.8]  # ρ_c
        self.stand_in = [draw.normal(0.2) for _ in range(2)]  # z̄ of the identity channel
        self.parameters = self.draw_parameters(draw)

    def draw_parameters(self, draw):
        parameters = {}
        for name, kind, d, e in self.channels:
            if kind == "identity":
                parameters[f"{name}.table"] = draw.normals(d, e, 0.5)
                continue
            parameters |= tower_parameters(draw, name, d, self.h, e)
            parameters[f"{name}.missing"] = draw.normals(1, e, 0.5)
            if self.scale == "diagonal":
                parameters[f"{name}.scale"] = draw.normals(1, e, 0.4)
        parameters["weights"] = draw.normals(1, len(self.channels))
        parameters["offset"] = torch.tensor([[-0.35]])
        return parameters

    def embed(self, parameters, items):
        """→ per channel z (len(items), e_c) and the mask (len(items),) of stand-ins."""
        items = torch.tensor(items)
        result = []
        for (name, kind, d, _), missing in zip(self.channels, self.missing):
            masked = torch.tensor(missing, dtype=torch.bool)[items]
            if kind == "identity":
                known = functional.embedding(torch.tensor(self.rows)[items], parameters[f"{name}.table"])
                stand_in = torch.tensor([self.stand_in])
            else:
                X = self.dense
                if kind == "sparse":
                    hot = [functional.one_hot(torch.tensor(t, dtype=torch.long), d).sum(0) for t in self.terms]
                    X = self.value * torch.stack(hot).double()
                known = tower(parameters, name, X[items])
                stand_in = parameters[f"{name}.missing"]
            result.append((torch.where(masked[:, None], stand_in, known), masked.double()))
        return result

    def h_of(self, parameters):
        theta = parameters["weights"][0]
        return functional.softplus(theta) if self.weights == "softplus" else theta

    def total(self, parameters, a, b, pairwise):
        """t = Σ_c h_c d_c; d_c = (Σ_j λ_j²(z_aj − z_bj)² + ρ_c·(number of stand-ins among the two))/s_c.

        pairwise: (len(a), len(b)) over all pairs; otherwise (len(a),), row by row.
        """
        h, t = self.h_of(parameters), 0
        for c, ((za, ma), (zb, mb)) in enumerate(zip(self.embed(parameters, a), self.embed(parameters, b))):
            if pairwise:
                za, ma = za[:, None], ma[:, None]
            log_scale = parameters.get(f"{self.channels[c][0]}.scale", torch.zeros(1, 1))
            square = ((za - zb) ** 2 * torch.exp(log_scale[0]) ** 2).sum(-1)  # Eq. 1
            t = t + h[c] * (square + self.lengths[c] * (ma + mb)) / self.scales[c]
        return t

    def inputs(self):
        return {
            "hidden": self.h,
            "scale": self.scale,
            "weights": self.weights,
            "terms": self.terms,
            "value": self.value,
            "dense": matrix(self.dense),
            "missing": self.missing,
            "rows": self.rows,
            "scales": self.scales,
            "lengths": self.lengths,
            "standIn": self.stand_in,
            "parameters": {key: matrix(value) for key, value in self.parameters.items()},
        }


def phi(link, t, b):
    return {"linear": lambda: t, "saturating": lambda: -torch.expm1(-t), "sigmoid": lambda: torch.sigmoid(t + b)}[link]()


def step_case(name, world, a, b, loss_name, **settings):
    """One training step: the loss over pairs (a_i, b_i) and its gradient by every parameter."""
    leaves = {key: value.clone().requires_grad_() for key, value in world.parameters.items()}
    labels = torch.tensor(settings.get("labels", [0] * len(a))).double()
    offset = leaves["offset"][0, 0]
    if loss_name == "softmax":
        t = world.total(leaves, a, b, pairwise=True)
        logits = -t / settings["temperature"] - torch.tensor(settings["logq"])
        loss = functional.cross_entropy(logits, torch.arange(len(a)))
    else:
        t = world.total(leaves, a, b, pairwise=False)
        if loss_name == "contrastive":  # Eq. 2, mean
            D = phi(settings["link"], t, offset)
            loss = ((1 - labels) * D + labels * torch.relu(settings["margin"] - D)).mean()
            assert (D - settings["margin"]).abs().min() > 1e-3  # not at the hinge's corner
        else:  # P(dissimilar) = σ(t + b)
            loss = functional.binary_cross_entropy_with_logits(t + offset, labels)
    gradients = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True, materialize_grads=True)
    z = world.embed(leaves, list(a) + list(b))
    inputs = {"world": world.inputs(), "a": list(a), "b": list(b), "loss": loss_name, **settings}
    outputs = {
        "Z": matrix(torch.cat([channel for channel, _ in z], 1).detach()),
        "total": matrix((t if t.dim() == 2 else t[:, None]).detach()),
        "loss": loss.item(),
        **{f"d {key}": matrix(g) for key, g in zip(leaves, gradients)},
    }
    return case("step", name, inputs, outputs)


def step_cases():
    a, b = [0, 3, 5, 9, 2], [1, 4, 5, 8, 7]  # the third pair is an item with itself, embedded twice
    settings = [
        ("softplus-identity", "identity", "softplus"),
        ("softplus-diagonal", "diagonal", "softplus"),
        ("signed-identity", "identity", "signed"),
        ("signed-diagonal", "diagonal", "signed"),
    ]
    for label, scale, weights in settings:
        world = World(label, scale, weights)
        logq = [-2.0, -0.5, -3.0, -1.0, -4.0]
        yield step_case(f"softmax-{label}", world, a, b, "softmax", temperature=0.4, logq=logq)
        link = {"softplus": "linear", "signed": "sigmoid"}[weights]
        options = {"labels": [0, 1, 0, 1, 1]}
        yield step_case(f"contrastive-{label}", world, a, b, "contrastive", link=link, margin=0.9, **options)
        yield step_case(f"cross-entropy-{label}", world, a, b, "crossEntropy", **options)
    world = World("saturating", "identity", "softplus")
    options = {"link": "saturating", "margin": 0.95, "labels": [1, 0, 0, 1, 1]}
    yield step_case("contrastive-saturating", world, a, b, "contrastive", **options)


def build_cases():
    return [*tower_cases(), *step_cases()]


if __name__ == "__main__":
    main(__file__, build_cases, ("torch",))
