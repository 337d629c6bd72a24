"""The PyTorch side of the benchmarks: one JSON request per line on stdin, one JSON answer per line on stdout.

    {"case":"gemm","dtype":"f32","m":512,"n":512,"k":512,"threads":1,"repeat":5}     C = A B,  A (m, k), B (k, n)
    {"case":"cholesky","dtype":"f64","n":1024,"threads":2,"repeat":3}                A = L Lᵀ, A (n, n)
    {"case":"scan","rows":160000,"cols":235,"k":10,"threads":1,"repeat":3}           the k largest of rows·query, f32
    → {"ms":[...]}, or {"error":"..."} and on to the next line

The driver alternates between peers line by line, so that a slow moment of the machine falls on both. The first line
printed is {"ready":true,...} with the version and the BLAS, or {"ready":false,"reason":"..."} where torch is missing.
Inputs are made once per distinct case and kept; the first call for a case and thread count is not timed. End of input
ends the program.
"""

import json
import sys
import time

DEFAULT_DTYPE = {"gemm": "f32", "cholesky": "f64", "scan": "f32"}


def say(message):
    print(json.dumps(message), flush=True)


def prepare(torch, request):
    """Inputs and outputs are allocated here; the function that comes back is what is timed."""
    kind = request["case"]
    if kind not in DEFAULT_DTYPE:
        raise ValueError(f"unknown case {kind!r}; expected one of {', '.join(DEFAULT_DTYPE)}")
    dtype = {"f32": torch.float32, "f64": torch.float64}[request.get("dtype", DEFAULT_DTYPE[kind])]
    generator = torch.Generator().manual_seed(1)

    def normals(*shape):
        return torch.randn(*shape, dtype=dtype, generator=generator)

    if kind == "gemm":
        A, B = normals(request["m"], request["k"]), normals(request["k"], request["n"])
        C = torch.empty(request["m"], request["n"], dtype=dtype)
        return lambda: torch.mm(A, B, out=C)
    if kind == "cholesky":
        n = request["n"]
        M = normals(n, n)
        A = M @ M.T / n + torch.eye(n, dtype=dtype)
        L = torch.empty_like(A).T  # columns contiguous, as LAPACK writes them: torch is up to a third faster so
        return lambda: torch.linalg.cholesky(A, out=L)
    rows, query = normals(request["rows"], request["cols"]), normals(request["cols"])
    scores = torch.empty(request["rows"], dtype=dtype)
    return lambda: torch.topk(torch.mv(rows, query, out=scores), request["k"])


def answer(torch, request, prepared, warm):
    shape = tuple(sorted((key, value) for key, value in request.items() if key not in ("threads", "repeat")))
    threads = request.get("threads", 1)
    torch.set_num_threads(threads)
    if shape not in prepared:
        prepared[shape] = prepare(torch, request)
    call = prepared[shape]
    if (shape, threads) not in warm:
        call()
        warm.add((shape, threads))
    ms = []
    for _ in range(request.get("repeat", 1)):
        start = time.perf_counter()
        call()
        ms.append((time.perf_counter() - start) * 1000)
    return {"ms": ms}


def blas(torch):
    """The lines of torch.__config__.show() that say which BLAS does the work, as one."""
    lines = [line.strip(" -") for line in torch.__config__.show().splitlines()]
    library = [line for line in lines if "Math Kernel Library" in line or "OpenBLAS" in line or "LAPACK" in line]
    settings = [part.strip() for line in lines if line.startswith("Build settings") for part in line.split(",")]
    info = [part.replace("Build settings: ", "") for part in settings if "BLAS_INFO=" in part]
    instructions = [line for line in lines if line.startswith("CPU capability")]
    # LAPACK's line is a part of the build settings too, with every compiler flag: keep the short ones.
    return "; ".join(line for line in info + library + instructions if len(line) < 200)


def main():
    try:
        import torch
    except Exception as error:  # not installed, or installed and unable to load
        say({"ready": False, "reason": f"{type(error).__name__}: {error}"})
        return
    say({"ready": True, "torch": torch.__version__, "config": blas(torch)})
    prepared, warm = {}, set()
    with torch.inference_mode():
        for line in iter(sys.stdin.readline, ""):
            if not line.strip():
                continue
            try:
                say(answer(torch, json.loads(line), prepared, warm))
            except Exception as error:
                say({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
