"""How a golden file is written and compared.

A golden file is one JSON object with one case per line, so that a change shows as the lines it touches:

    { "generator": ..., "generatorSha256": ..., "versions": {...},
      "cases": [ {"op": ..., "name": ..., "inputs": {...}, "outputs": {...}}, ... ] }

Matrices are {"shape": [rows, columns], "data": [row-major]}, vectors are plain lists, numbers are the shortest
decimals that read back as the same float64.
"""

import argparse
import hashlib
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path

TOLERANCE = 1e-12


def matrix(rows):
    """A matrix, given as a list of rows, a NumPy array or a tensor, in the form of the file."""
    rows = [[float(x) for x in row] for row in rows]
    return {"shape": [len(rows), len(rows[0])], "data": [x for row in rows for x in row]}


def vector(values):
    return [float(x) for x in values]


def case(op, name, inputs, outputs):
    return {"op": op, "name": name, "inputs": inputs, "outputs": outputs}


def main(script, build_cases, packages, elementwise=()):
    """Write the golden file of `script`, or with --check compare it with a fresh computation.

    Ops named in `elementwise` are compared number by number; elsewhere the error of an entry is measured against
    the largest entry of its array, which is what rounding in a sum of terms of that size can do.
    """
    parser = argparse.ArgumentParser(description=f"Golden vectors of reference/{Path(script).name}.")
    parser.add_argument("--check", action="store_true", help="compare with the committed file instead of writing it")
    check = parser.parse_args().check

    script = Path(script)
    file = script.parent / "golden" / f"{script.stem}.json"
    head = {
        "generator": f"reference/{script.name}",
        "generatorSha256": hashlib.sha256(script.read_bytes()).hexdigest(),
        "versions": {"python": platform.python_version(), **{name: version(name) for name in packages}},
    }
    # The round trip makes tuples lists, so that fresh and stored cases compare alike.
    cases = json.loads(json.dumps(build_cases(), allow_nan=False))
    names = [(c["op"], c["name"]) for c in cases]
    assert len(set(names)) == len(names), "two cases share op and name"

    if check:
        stored = json.loads(file.read_text())
        problems = list(compare(stored, head, cases, elementwise))
        for problem in problems:
            print(problem, file=sys.stderr)
        print(f"{file.name}: {len(cases)} cases, {len(problems)} differences")
        sys.exit(1 if problems else 0)

    lines = ",\n".join("    " + json.dumps(c, allow_nan=False) for c in cases)
    fields = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items())
    file.parent.mkdir(exist_ok=True)
    file.write_text("{\n" + fields + '  "cases": [\n' + lines + "\n  ]\n}\n")
    print(f"{file.name}: {len(cases)} cases, {file.stat().st_size} bytes")


def compare(stored, head, cases, elementwise):
    if stored["generatorSha256"] != head["generatorSha256"]:
        yield f"generatorSha256: {head['generator']} changed since its golden file was written; run it without --check"
    old = {(c["op"], c["name"]): c for c in stored["cases"]}
    new = {(c["op"], c["name"]): c for c in cases}
    for key in old.keys() ^ new.keys():
        yield f"{'/'.join(key)}: only in the {'file' if key in old else 'fresh computation'}"
    for key in (key for key in new if key in old):
        where = "/".join(key)
        if old[key]["inputs"] != new[key]["inputs"]:
            yield f"{where}: inputs differ"
        yield from differences(where, old[key]["outputs"], new[key]["outputs"], key[0] in elementwise)


def differences(where, old, new, elementwise):
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        for name in old:
            yield from differences(f"{where}.{name}", old[name], new[name], elementwise)
        return
    a, b = (x if isinstance(x, list) else [x] for x in (old, new))
    if len(a) != len(b) or type(old) is not type(new):
        yield f"{where}: not the same shape"
    elif not all(type(x) is float for x in a + b):  # integers, words, lists of them: exact
        if a != b:
            yield f"{where}: {old} in the file, {new} computed"
    elif a:
        largest = max(abs(x) for x in a)
        worst = max(abs(x - y) / ((abs(x) if elementwise else largest) or 1) for x, y in zip(a, b))
        if worst > TOLERANCE:
            yield f"{where}: relative difference {worst:.1e}, tolerance {TOLERANCE:.0e}"
