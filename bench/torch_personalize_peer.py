"""The PyTorch side of the suite personalize: the same fits with torch.optim.LBFGS in float64, autograd for the gradients.

    {"case":{...},"file":"<f64 numbers>","from":0,"to":60}    → {"ms":[whole],"values":[...],"iterations":[...]}

One JSON request per line on stdin, one answer per line on stdout. The first line printed is {"ready":true,...}, or
{"ready":false,"reason":"..."} where torch is missing. One thread: the suite starts one of these for each core.
"""

import json
import sys
import time

CHANNELS, NOISE, TEMPERATURE = 5, 0.5, 0.2


def say(message):
    print(json.dumps(message), flush=True)


def pairs(a, b):
    """(p, |a|, |b|)"""
    return ((a[:, None] - b[None]) ** 2).sum(-1).permute(2, 0, 1)


def loss_of(torch, c, numbers):
    rows, others = c["rows"], c["others"]
    items = rows + others
    z = numbers[: items * 2 * CHANNELS].reshape(items, CHANNELS, 2)
    values = numbers[items * 2 * CHANNELS :]
    size = CHANNELS + (c["target"] == "choice")
    mean = torch.zeros(size)
    mean[:CHANNELS] = torch.log(torch.expm1(torch.tensor(0.5)))
    softplus = torch.nn.functional.softplus
    if c["target"] == "choice":
        d = pairs(z[:rows], z) / TEMPERATURE
        evidence = 0.5 * rows
        apart = ~torch.eye(rows, dtype=torch.bool)

        def likelihood(x):
            logits = x[CHANNELS] * values - torch.einsum("c,cij->ij", softplus(x[:CHANNELS]), d)
            unmet = torch.logsumexp(logits[:, rows:], 1) + torch.log(torch.tensor(20.0))
            own = logits[:, :rows]
            return (torch.logaddexp(own, unmet[:, None]) - own)[apart].mean()

    else:
        d = pairs(z, z)
        evidence = rows
        noise = NOISE * torch.eye(rows)

        def likelihood(x):
            S = torch.exp(-0.5 * torch.einsum("c,cij->ij", softplus(x), d)) + noise
            L = torch.linalg.cholesky(S)
            y = torch.linalg.solve_triangular(L, values[:, None], upper=False)
            return (L.diagonal().log().sum() + 0.5 * y.square().sum()) / rows

    return mean, lambda x: likelihood(x) + 0.5 * (x - mean).square().sum() / evidence


def fit(torch, c, numbers):
    mean, loss = loss_of(torch, c, numbers)
    x = mean.clone().requires_grad_(True)
    options = {"max_iter": 20, "history_size": 10, "line_search_fn": "strong_wolfe"}
    optimiser = torch.optim.LBFGS([x], tolerance_grad=1e-5, tolerance_change=1e-8, **options)

    def closure():
        optimiser.zero_grad()
        value = loss(x)
        value.backward()
        return value

    optimiser.step(closure)
    return float(loss(x.detach())), optimiser.state[x]["n_iter"]


def main():
    try:
        import torch
    except ImportError:
        say({"ready": False, "reason": f"{sys.executable} has no torch"})
        return
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    say({"ready": True, "torch": torch.__version__})
    for line in sys.stdin:
        request = json.loads(line)
        c = request["case"]
        size = (c["rows"] + c["others"]) * (2 * CHANNELS + 1)
        numbers = torch.from_file(request["file"], size=c["users"] * size, dtype=torch.float64).reshape(c["users"], size)
        started = time.perf_counter()
        fits = [fit(torch, c, numbers[user]) for user in range(request["from"], request["to"])]
        ms = 1000 * (time.perf_counter() - started)
        say({"ms": [ms], "values": [value for value, _ in fits], "iterations": [steps for _, steps in fits]})


main()
