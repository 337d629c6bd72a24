"""The PyTorch side of the train suite: the same steps, written as one would write them with autograd.

    {"case":"siamese","inputs":"<safetensors>","check":"<safetensors to write>"}      value and gradients, without dropout
    {"case":"siamese","inputs":"<safetensors>","threads":2,"repeat":5}                 → {"ms":[...]}, whole steps
    {"case":"vfe", ...}, {"case":"exact", ...}                                         likelihood and gradients, from embeddings on
    "distances":"channels" (the default) or "columns": see `distances`

One JSON request per line on stdin, one answer per line on stdout, {"error":"..."} where it fails. The first line printed is
{"ready":true,...}, or {"ready":false,"reason":"..."} where torch is missing. End of input ends the program.
"""

import ctypes
import json
import struct
import sys
import time

CHANNELS = ("tags", "title", "plot", "year")
WIDTH = 50  # embedding columns of a channel
JITTER = 1e-6


def say(message):
    print(json.dumps(message), flush=True)


def read_tensors(torch, path):
    """A safetensors file: the length of a JSON header, the header, the arrays."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = bytearray(file.read())
    types = {"F32": torch.float32, "F64": torch.float64, "I32": torch.int32}
    found = {}
    for name, field in header.items():
        if name == "__metadata__":
            continue
        begin, end = field["data_offsets"]
        flat = torch.frombuffer(data, dtype=types[field["dtype"]], offset=begin, count=(end - begin) // (8 if field["dtype"] == "F64" else 4))
        found[name] = flat.clone().reshape(field["shape"])
    return found


def write_tensors(torch, path, tensors):
    header, body = {}, b""
    for name, tensor in tensors.items():
        flat = tensor.detach().to(torch.float64).contiguous()
        size = flat.numel() * 8
        header[name] = {"dtype": "F64", "shape": list(flat.shape), "data_offsets": [len(body), len(body) + size]}
        body += ctypes.string_at(flat.data_ptr(), size)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + body)


def squares(a, b):
    """‖a_i − b_j‖², (n, e) and (m, e) to (n, m)."""
    return (a.square().sum(1)[:, None] + b.square().sum(1)[None, :] - 2 * (a @ b.T)).clamp(min=0)


def distances(torch, a, b, h, how):
    """t = Σ_c h_c ‖a^c − b^c‖². `channels`: one distance matrix after the other, as the formula reads. `columns`: the trick that spares all
    but one of them, the weights on the columns of one product; whoever knows it is faster."""
    if how == "columns":
        w = h.repeat_interleave(WIDTH)
        aw = a * w
        return ((aw * a).sum(1)[:, None] + (b * b * w).sum(1)[None, :] - 2 * (aw @ b.T)).clamp(min=0)
    return sum(h[c] * squares(x, y) for c, (x, y) in enumerate(zip(a.split(WIDTH, 1), b.split(WIDTH, 1))))


class Siamese:
    """Stage 1: towers 100-50-50 per channel, softplus weights, in-batch softmax with logQ, AdamW on everything."""

    def __init__(self, torch, given, how):
        self.torch, self.how = torch, how
        nn = torch.nn
        self.items = given["items"].long()
        self.logq = given["logq"].float()
        self.scales = given["scales"].float()
        self.temperature, self.dropout, rate, decay = given["settings"].tolist()
        self.columns = given["tags.columns"].long()
        self.value = given["tags.value"].item()
        self.tables = {name: given[f"{name}.values"] for name in CHANNELS[1:]}
        self.theta = nn.Parameter(given["parameter.weights"].reshape(-1).clone())
        self.towers = {}
        for name in CHANNELS:
            w = [given[f"parameter.{name}.w{i}"] for i in (1, 2, 3)]
            b = [given[f"parameter.{name}.b{i}"].reshape(-1) for i in (1, 2, 3)]
            if name == "tags":
                first = nn.EmbeddingBag(w[0].shape[0], w[0].shape[1], mode="sum")
                first.weight.data.copy_(w[0])
                first.bias = nn.Parameter(b[0].clone())
            else:
                first = nn.Linear(*w[0].shape)
            rest = nn.Linear(*w[1].shape), nn.Linear(*w[2].shape)
            for layer, weight, bias in zip((first, *rest), w, b):
                if isinstance(layer, nn.Linear):
                    layer.weight.data.copy_(weight.T)
                    layer.bias.data.copy_(bias)
            self.towers[name] = (first, *rest)
        self.parameters = [p for tower in self.towers.values() for layer in tower for p in layer.parameters()] + [self.theta]
        try:
            self.optimiser = torch.optim.AdamW(self.parameters, lr=rate, weight_decay=decay, fused=True)
        except (RuntimeError, TypeError):  # an older version has no such thing on a processor
            self.optimiser = torch.optim.AdamW(self.parameters, lr=rate, weight_decay=decay)
        self.turn = 0

    def loss(self, items, dropout):
        torch, f = self.torch, self.torch.nn.functional
        parts = []
        for name in CHANNELS:
            first, second, third = self.towers[name]
            if name == "tags":
                columns = self.columns[items]
                entries = f.dropout(torch.full(columns.shape, self.value), dropout, dropout > 0)
                x = first(columns, per_sample_weights=entries) + first.bias
            else:
                x = first(f.dropout(self.tables[name][items], dropout, dropout > 0))
            parts.append(torch.tanh(third(torch.sigmoid(second(torch.relu(x))))))
        z = torch.cat(parts, 1)
        count = len(items) // 2
        z = z - z[count:].mean(0).detach()  # for the digits of distances
        h = f.softplus(self.theta) / self.scales
        t = distances(torch, z[:count], z[count:], h, self.how)
        logits = -t / self.temperature - self.logq[items[count:]]
        return f.cross_entropy(logits, torch.arange(count))

    def step(self):
        self.turn = self.turn % (len(self.items) - 1) + 1
        self.optimiser.zero_grad(set_to_none=True)
        loss = self.loss(self.items[self.turn], self.dropout)
        loss.backward()
        self.optimiser.step()
        return loss.item()

    def check(self):
        self.optimiser.zero_grad(set_to_none=True)
        loss = self.loss(self.items[0], 0)
        loss.backward()
        found = {"value": loss.reshape(1), "weights": self.theta.grad}
        for name, tower in self.towers.items():
            for i, layer in enumerate(tower, 1):
                linear = isinstance(layer, self.torch.nn.Linear)
                found[f"{name}.w{i}"] = layer.weight.grad.T if linear else layer.weight.grad
                found[f"{name}.b{i}"] = layer.bias.grad
        self.optimiser.zero_grad(set_to_none=True)
        return found


class Likelihood:
    """ℓ of formulas A for vfe or exact, k = v·exp(−½t), Σ_i = σ²·c_i; gradients by embeddings, h, log σ and log v."""

    def __init__(self, torch, given, how, kind):
        self.torch, self.how, self.kind = torch, how, kind
        self.R, self.c = given["R"], given["noise"]
        sigma, variance, m = given["settings"].tolist()
        self.m = int(m)
        leaf = lambda x: x.clone().requires_grad_()
        self.Z, self.h = leaf(given["Z"]), leaf(given["h"])
        self.log_noise, self.log_variance = (leaf(torch.tensor(x, dtype=torch.float64).log()) for x in (sigma, variance))
        self.leaves = {"Z": self.Z, "h": self.h, "logNoise": self.log_noise, "logVariance": self.log_variance}

    def kernel(self, a, b):
        return self.log_variance.exp() * (-0.5 * distances(self.torch, a, b, self.h, self.how)).exp()

    def value(self):
        return self.exact() if self.kind == "exact" else self.vfe()

    def exact(self):
        linalg = self.torch.linalg
        noise = (2 * self.log_noise).exp() * self.c
        L = linalg.cholesky(self.kernel(self.Z, self.Z) + noise.diag())
        white = linalg.solve_triangular(L, self.R, upper=False)
        return self.R.shape[1] * L.diagonal().log().sum() + 0.5 * white.square().sum()

    def vfe(self):
        torch, m, k = self.torch, self.m, self.R.shape[1]
        linalg = torch.linalg
        noise = (2 * self.log_noise).exp() * self.c
        root = noise.sqrt()
        v = self.log_variance.exp()
        Knm = self.kernel(self.Z, self.Z[:m])
        identity = torch.eye(m, dtype=torch.float64)
        L = linalg.cholesky(Knm[:m] + JITTER * v * identity)
        W = linalg.solve_triangular(L, Knm.T, upper=False) / root  # (m, n)
        LB = linalg.cholesky(identity + W @ W.T)
        R = self.R / root[:, None]
        c = linalg.solve_triangular(LB, W @ R, upper=False)
        log_s = 2 * LB.diagonal().log().sum() + noise.log().sum()
        quadratic = R.square().sum() - c.square().sum()
        unexplained = (v / noise).sum() - W.square().sum()
        return 0.5 * (k * (log_s + unexplained) + quadratic)

    def step(self):
        for leaf in self.leaves.values():
            leaf.grad = None
        value = self.value()
        value.backward()
        return value.item()

    def check(self):
        value = self.step()
        found = {"value": self.torch.tensor([value], dtype=self.torch.float64)}
        return found | {name: leaf.grad.reshape(leaf.grad.shape or (1,)) for name, leaf in self.leaves.items()}


def prepare(torch, request):
    given = read_tensors(torch, request["inputs"])
    kind, how = request["case"], request.get("distances", "channels")
    return Siamese(torch, given, how) if kind == "siamese" else Likelihood(torch, given, how, kind)


def answer(torch, request, prepared):
    torch.set_num_threads(request.get("threads", 1))
    key = (request["case"], request["inputs"], request.get("distances", "channels"))
    if key not in prepared:
        prepared[key] = prepare(torch, request)
    work = prepared[key]
    if "check" in request:
        write_tensors(torch, request["check"], work.check())
        return {"ms": []}
    ms = []
    for _ in range(request.get("repeat", 1)):
        start = time.perf_counter()
        work.step()
        ms.append((time.perf_counter() - start) * 1000)
    return {"ms": ms}


def main():
    try:
        import torch
    except Exception as error:  # not installed, or installed and unable to load
        say({"ready": False, "reason": f"{type(error).__name__}: {error}"})
        return
    say({"ready": True, "torch": torch.__version__})
    prepared = {}
    for line in iter(sys.stdin.readline, ""):
        if not line.strip():
            continue
        try:
            say(answer(torch, json.loads(line), prepared))
        except Exception as error:
            say({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
