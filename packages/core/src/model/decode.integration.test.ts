// A model folder that is damaged, cut, incomplete, foreign or too new is refused with a BAD_MODEL that says what to do.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NearkinError } from "../errors.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { decodeModel } from "./decode.ts";
import { encodeModel } from "./encode.ts";
import { modelFiles } from "./files.ts";
import { canonicalJson } from "./json.ts";
import type { ModelParts } from "./parts.ts";
import { decodeSafetensors, encodeSafetensors, type Tensor } from "./safetensors.ts";
import { sha256 } from "./sha256.ts";
import type { FieldShape } from "./shapes.ts";
import { tinyModel } from "./testing/tiny-model.ts";

type Files = Map<string, Uint8Array>;

let engine: Engine;
let parts: ModelParts;
let files: Files;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
  parts = tinyModel(engine, { n: 20 });
  files = await encodeModel(parts);
});
afterAll(() => engine.close());

const decode = (from: Files) =>
  decodeModel(async (name) => {
    const bytes = from.get(name);
    if (!bytes) throw new Error(`there is no ${name}`);
    return bytes;
  });

/** What decoding throws; an error of any other kind is none of ours. */
async function problem(from: Files): Promise<string> {
  const error = await decode(from).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof NearkinError)) throw error ?? new Error("expected an error");
  expect(error.code).toBe("BAD_MODEL");
  return error.message;
}

const changed = (name: string, bytes: Uint8Array): Files => new Map(files).set(name, bytes);
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** model.json with an edit, and the id that fits it: what a faulty writer would have written. */
async function rewritten(edit: (manifest: Record<string, unknown>) => void, from = files): Promise<Files> {
  const { id: _, ...manifest } = JSON.parse(text(from.get("model.json")));
  edit(manifest);
  const id = await sha256(new TextEncoder().encode(canonicalJson(manifest)));
  return new Map(from).set("model.json", bytesOf({ ...manifest, id }));
}

/** A file with other contents, and a model.json that fits it. */
async function replaced(name: string, bytes: Uint8Array): Promise<Files> {
  const entry = { name, bytes: bytes.byteLength, sha256: await sha256(bytes) };
  return rewritten(
    (manifest) => {
      manifest.files = (manifest.files as { name: string }[]).map((file) => (file.name === name ? entry : file));
    },
    changed(name, bytes),
  );
}

describe("damage", () => {
  test.each(modelFiles)("a flipped bit anywhere in %s is found", async (name) => {
    const bytes = files.get(name) as Uint8Array;
    const places = new Set([0, 1, 7, 8, 9, bytes.length - 2, bytes.length - 1]);
    for (let i = 1; i < 12; i++) places.add(Math.floor((bytes.length * i) / 12));
    for (const at of places) {
      for (const bit of [1, 128]) {
        const damaged = bytes.slice();
        damaged[at] ^= bit;
        if (name === "model.json" && sameJson(damaged, bytes)) continue; // white space
        expect(await problem(changed(name, damaged))).toContain(name);
      }
    }
  });

  test.each(modelFiles)("%s cut short is found", async (name) => {
    const bytes = files.get(name) as Uint8Array;
    for (const length of [0, 1, 7, 8, 100, Math.floor(bytes.length / 2), bytes.length - 2]) {
      expect(await problem(changed(name, bytes.slice(0, length)))).toContain(name);
    }
    if (name !== "model.json") expect(await problem(changed(name, new Uint8Array([...bytes, 0])))).toContain(name);
  });

  test.each(modelFiles)("without %s it is no model", async (name) => {
    const fewer = new Map(files);
    fewer.delete(name);
    expect(await problem(fewer)).toBe(
      `${name} cannot be read (there is no ${name}); is this a model folder, and complete?`,
    );
  });

  test("messages say what happened and what to do", async () => {
    const weights = files.get("weights.safetensors") as Uint8Array;
    const flipped = weights.slice();
    flipped[flipped.length - 1] ^= 1;
    const edited = text(files.get("model.json")).replace('"tiny"', '"huge"');
    expect([
      await problem(changed("weights.safetensors", flipped)),
      await problem(changed("weights.safetensors", weights.slice(0, 1000))),
      await problem(changed("model.json", new TextEncoder().encode(edited))),
      await problem(changed("model.json", new TextEncoder().encode("{"))),
      await problem(changed("model.json", bytesOf([]))),
    ]).toMatchInlineSnapshot(`
      [
        "weights.safetensors was changed or damaged after it was written (its sha256 does not fit); copy the folder again, or train the model again",
        "weights.safetensors has 1000 bytes instead of 10724; copy the folder again, or train the model again",
        "model.json was changed after it was written (its id does not fit); copy the folder again, or train the model again",
        "model.json is not JSON, or cut short; copy the folder again, or train the model again",
        "model.json: it is not an object; train the model again with this version",
      ]
    `);
  });
});

describe("names", () => {
  test.each(["../model.json", "/etc/passwd", "a/b", "a\\b", "..", "C:x", "nul\0", ""])(
    "of files are names in the folder: %j is not read",
    async (name) => {
      const { files: listed } = JSON.parse(text(files.get("model.json")));
      const asked: string[] = [];
      const other = await rewritten((manifest) => {
        manifest.files = [...listed, { name, bytes: 1, sha256: "" }];
      });
      const reading = decodeModel(async (file) => {
        asked.push(file);
        return other.get(file) as Uint8Array;
      });
      await expect(reading).rejects.toMatchObject({ code: "BAD_MODEL" });
      expect(asked).not.toContain(name);
    },
  );

  test.each(["a\r-- x", "a\nb", "\u2028", "\u007f", "\u0085", ""])(
    "of channels have no control characters: %j is refused",
    async (name) => {
      const renamed = await rewritten((manifest) => {
        (manifest.channels as { name: string }[])[0].name = name;
      });
      expect(await problem(renamed)).toContain(`model.json: "channels[0].name"`);
    },
  );
});

describe("versions and formats", () => {
  test("a newer version asks for an upgrade; another format is no model", async () => {
    expect([
      await problem(await rewritten((manifest) => Object.assign(manifest, { version: 3 }))),
      await problem(changed("model.json", bytesOf({ format: "nearkin-model", version: 3, whatever: true }))),
      await problem(await rewritten((manifest) => Object.assign(manifest, { version: 0 }))),
      await problem(await rewritten((manifest) => Object.assign(manifest, { version: "1" }))),
      await problem(await rewritten((manifest) => Object.assign(manifest, { format: "nearkin-dataset" }))),
      await problem(changed("model.json", bytesOf({ name: "something else" }))),
    ]).toMatchInlineSnapshot(`
      [
        "model.json: the model has version 3, this program reads up to 2; upgrade with: npm install nearkin@latest",
        "model.json: the model has version 3, this program reads up to 2; upgrade with: npm install nearkin@latest",
        "model.json: "version" is not a whole number of at least 1; train the model again with this version",
        "model.json: "version" is not a whole number of at least 1; train the model again with this version",
        "model.json: its format is "nearkin-dataset", not "nearkin-model"; this is no model folder",
        "model.json: its format is "none", not "nearkin-model"; this is no model folder",
      ]
    `);
  });
});

describe("a model.json of the wrong shape, hashed as if it were right", () => {
  // what is there for people to read, and not read back
  const FOR_PEOPLE = ["metric.weights", "metric.offset", "distanceScale", "unknownLength", "personal.parameters"];

  test("every field is checked: none can be missing or of another type", async () => {
    const manifest = JSON.parse(text(files.get("model.json")));
    delete manifest.id;
    for (const path of paths(manifest)) {
      const name = path.join(".");
      if (FOR_PEOPLE.some((known) => name.includes(known)) || path[0] === "config" || path[0] === "notes") continue;
      for (const edit of ["delete", "retype"] as const) {
        if (name === "personal" && edit === "delete") continue; // a model may know nothing of users
        const files = await rewritten((copy) => alter(copy, path, edit));
        const message = await problem(files).catch((error: Error) => `${error.message} (${name}, ${edit})`);
        expect(`${name} ${edit}: ${message}`).toMatch(
          /model\.json|transforms\.safetensors|safetensors|catalogue\.json/,
        );
      }
    }
  });

  test("shapes of fields come back as they were, and are checked; a model without them opens", async () => {
    const shapes = new Map<string, FieldShape>([
      ["title", { type: "text", channel: "title" }],
      ["year", { type: "number", thousands: ",", decimal: ".", missing: ["?"] }],
      ["decade", { type: "list", column: "year", separator: null, pattern: "^(...)", channel: "genres" }],
    ]);
    const withShapes = { ...parts, catalogue: { ...parts.catalogue, shapes } };
    const written = await encodeModel(withShapes);
    expect((await decode(written)).catalogue).toEqual(withShapes.catalogue);
    expect((await decode(files)).catalogue.shapes).toBeUndefined();
    const of = (path: string[], value: unknown) =>
      rewritten((manifest) => set(manifest, ["fields", ...path], value), written).then(problem);
    expect([
      await of([], 3),
      await of(["year"], "number"),
      await of(["year", "type"], "colour"),
      await of(["year", "missing"], "?"),
      await of(["year", "thousands"], 3),
      await of(["decade", "separator"], 3),
      await of(["decade", "column"], "tear"),
      await of(["decade", "channel"], "genders"),
      await of(["decade", "pattern"], "(("),
      await of(["colour"], { type: "text" }),
    ]).toMatchInlineSnapshot(`
      [
        "model.json: "fields" is not an object; train the model again with this version",
        "model.json: "fields.year" is not an object; train the model again with this version",
        "model.json: "fields.year.type" is "colour"; known are number, date, list, text; train the model again with this version",
        "model.json: "fields.year.missing" is not a list; train the model again with this version",
        "model.json: "fields.year.thousands" is not a text; train the model again with this version",
        "model.json: "fields.decade.separator" is not a text; train the model again with this version",
        "model.json: "fields.decade" is read from "tear", which is no field; train the model again with this version",
        "model.json: "fields.decade" is read by the channel "genders", which is none; train the model again with this version",
        "model.json: "fields.decade.pattern" is not a regular expression; train the model again with this version",
        "model.json: "fields.colour" is read from "colour", which is no field; train the model again with this version",
      ]
    `);
    const wrong = {
      ...parts,
      catalogue: { ...parts.catalogue, shapes: new Map([["colour", { type: "text" } as const]]) },
    };
    await expect(encodeModel(wrong)).rejects.toThrow(
      'encodeModel: catalogue.shapes.colour is read from "colour", which is no field',
    );
  });

  test("messages name the field by its path", async () => {
    const of = (path: (string | number)[], value: unknown) =>
      rewritten((manifest) => set(manifest, path, value)).then(problem);
    expect([
      await of(["name"], 7),
      await of(["dataset", "simulated"], "no"),
      await of(["channels"], {}),
      await of(["channels", 2, "scale"], null),
      await of(["channels", 2, "input"], "round"),
      await of(["channels", 0, "transform", "encoder"], { kind: "oracle" }),
      await of(["ensemble", "link"], "cubic"),
      await of(["posterior", "inducing"], 9),
      await of(["counts", "items"], 21),
      await of(["files"], []),
    ]).toMatchInlineSnapshot(`
      [
        "model.json: "name" is not a text; train the model again with this version",
        "model.json: "dataset.simulated" is not true or false; train the model again with this version",
        "model.json: "channels" is not a list; train the model again with this version",
        "model.json: "channels[2].scale" is not a number; train the model again with this version",
        "model.json: "channels[2].input" is "round"; known are dense, sparse, identity, factors; train the model again with this version",
        "transforms.safetensors: stored transform title.encoder: the kind is "oracle"; known are lsa, external; train the model again with this version",
        "model.json: "ensemble.link" is "cubic"; known are linear, saturating, sigmoid; train the model again with this version",
        "items.safetensors: "posterior.inducing" must be I32 [9], got I32 [8]; train the model again with this version",
        "items.safetensors: "rows" must be F32 [21,41], got F32 [20,41]; train the model again with this version",
        "model.json: "files" does not list weights.safetensors; train the model again with this version",
      ]
    `);
  });
});

describe("files of the wrong shape, hashed as if they were right", () => {
  test("catalogue.json", async () => {
    const catalogue = JSON.parse(text(files.get("catalogue.json")));
    const of = async (edit: object) => problem(await replaced("catalogue.json", bytesOf({ ...catalogue, ...edit })));
    expect([
      await of({ ids: [1, 2] }),
      await of({ ids: catalogue.ids.slice(1) }),
      await of({ titles: [] }),
      await of({ described: catalogue.described.map(() => 2) }),
      await of({ fields: { year: [1] } }),
      await of({ fields: null }),
    ]).toMatchInlineSnapshot(`
      [
        "catalogue.json: "ids" is not a list of texts; train the model again with this version",
        "catalogue.json: "ids" has 19 entries instead of 20; train the model again with this version",
        "catalogue.json: "titles" has 0 entries instead of 20; train the model again with this version",
        "catalogue.json: "described" is not a list of 20 zeros and ones; train the model again with this version",
        "catalogue.json: "fields.year" is not a list of texts and nulls; train the model again with this version",
        "catalogue.json: "fields" is not an object; train the model again with this version",
      ]
    `);
  });

  test("tensors that are missing, or of another type or shape", async () => {
    const of = async (name: string, edit: (tensors: Record<string, Tensor>) => void) => {
      const bytes = (files.get(name) as Uint8Array).slice(); // tensors are views of it
      const tensors = Object.fromEntries(decodeSafetensors(bytes).tensors);
      edit(tensors);
      return problem(await replaced(name, encodeSafetensors(tensors)));
    };
    expect([
      await of("weights.safetensors", (tensors) => delete tensors["title.w2"]),
      await of("weights.safetensors", (tensors) => Object.assign(tensors, { "title.w2": tensors["title.w1"] })),
      await of("items.safetensors", (tensors) => delete tensors["posterior.LB"]),
      await of("items.safetensors", (tensors) => Object.assign(tensors, { masked: tensors.ratings })),
      await of("items.safetensors", ({ "posterior.inducing": inducing }) => (inducing.data as Int32Array).fill(20)),
      await of("transforms.safetensors", (tensors) => delete tensors["genres.counts"]),
      await problem(await replaced("items.safetensors", new TextEncoder().encode("no tensors at all"))),
    ]).toMatchInlineSnapshot(`
      [
        "weights.safetensors: "title.w2" must be F32 [12,6], got nothing; train the model again with this version",
        "weights.safetensors: "title.w2" must be F32 [12,6], got F32 [5,12]; train the model again with this version",
        "items.safetensors: "posterior.LB" must be F64 [8,8], got nothing; train the model again with this version",
        "items.safetensors: "masked" must be U8 [20,8], got I32 [20]; train the model again with this version",
        "items.safetensors: "posterior.inducing" names items outside [0, 20); train the model again with this version",
        "transforms.safetensors: stored transform genres: the tensor "genres.counts" is missing; train the model again with this version",
        "items.safetensors: safetensors: the header should have 8030883942550761326 bytes, 9 follow; it may be cut short; train the model again with this version",
      ]
    `);
  });
});

test("parts that do not fit together are not written", async () => {
  const of = async (edit: Partial<ModelParts>) => {
    const error = await encodeModel({ ...parts, ...edit }).catch((reason: unknown) => reason);
    if (!(error instanceof NearkinError)) throw new Error("expected an error");
    return `${error.code}: ${error.message}`;
  };
  expect([
    await of({ parameters: new Float32Array(3) }),
    await of({ items: { ...parts.items, rows: new Float32Array(7) } }),
    await of({ catalogue: { ...parts.catalogue, fields: new Map([["year", []]]) } }),
    await of({ channels: [...parts.channels].reverse() }),
    await of({ temperature: Number.NaN }),
    await of({ config: { when: new Date(0) } }),
  ]).toMatchInlineSnapshot(`
    [
      "SHAPE_MISMATCH: encodeModel: parameters must hold 1561 entries, got 3",
      "SHAPE_MISMATCH: encodeModel: items.rows must hold 820 entries, got 7",
      "SHAPE_MISMATCH: encodeModel: catalogue.fields.year must hold 20 entries, got 0",
      "BAD_ARGUMENT: encodeModel: channel 0 is title in ensemble, identity in channels",
      "BAD_ARGUMENT: encodeModel: the model.metric.temperature must be JSON, got NaN",
      "BAD_ARGUMENT: encodeModel: the model.config.when must be JSON, got Date",
    ]
  `);
});

describe("in Python", () => {
  const python = process.env.NEARKIN_PYTHON ?? "python3";
  const hasSafetensors = (() => {
    try {
      execFileSync(python, ["-c", "import safetensors.numpy"], { stdio: "ignore" });
      return true;
    } catch {
      process.stdout.write(
        `SKIPPED: a model read in Python; ${python} has no safetensors and numpy; name one that has by NEARKIN_PYTHON\n`,
      );
      return false;
    }
  })();

  test.skipIf(!hasSafetensors)("the safetensors package reads every array, bit for bit", () => {
    const folder = mkdtempSync(join(tmpdir(), "nearkin-model-"));
    try {
      for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
      // name → [dtype, shape, sum of the bytes weighted by position]
      const program = `
import json, sys, numpy as np
from safetensors.numpy import load_file
def digest(a):
    b = np.frombuffer(np.ascontiguousarray(a).tobytes(), dtype=np.uint8).astype(np.int64)
    return [str(a.dtype), list(a.shape), int((b * (np.arange(b.size) % 251 + 1)).sum())]
print(json.dumps({n: {k: digest(v) for k, v in load_file(sys.argv[1] + "/" + n).items()} for n in sys.argv[2:]}))`;
      const names = modelFiles.filter((name) => name.endsWith(".safetensors"));
      const read = JSON.parse(execFileSync(python, ["-c", program, folder, ...names], { encoding: "utf8" }));
      for (const name of names) {
        const own = [...decodeSafetensors(files.get(name) as Uint8Array).tensors].map(([key, tensor]) => [
          key,
          digest(tensor),
        ]);
        expect(read[name]).toEqual(Object.fromEntries(own));
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  const DTYPES = { F64: "float64", F32: "float32", F16: "float16", I64: "int64", I32: "int32", U8: "uint8" };
  function digest({ type, shape, data }: Tensor): [string, number[], number] {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    return [DTYPES[type], [...shape], bytes.reduce((sum, byte, i) => sum + byte * ((i % 251) + 1), 0)];
  }
});

function sameJson(a: Uint8Array, b: Uint8Array): boolean {
  try {
    return canonicalJson(JSON.parse(text(a))) === canonicalJson(JSON.parse(text(b)));
  } catch {
    return false;
  }
}

type Path = (string | number)[];

/** Every field of an object, nested ones included; of lists the first entry. Contents of transforms are their own affair. */
function paths(value: unknown, path: Path = []): Path[] {
  const own = path.length > 0 ? [path] : [];
  if (typeof value !== "object" || value === null || path.at(-1) === "transform") return own;
  if (["tools", "seeds", "metrics", "notes"].includes(String(path.at(-1)))) return own; // any names
  const entries = Array.isArray(value) ? [...value.entries()].slice(0, 1) : Object.entries(value);
  return [...own, ...entries.flatMap(([key, entry]) => paths(entry, [...path, key]))];
}

function set(root: unknown, path: Path, value: unknown): void {
  const parent = path.slice(0, -1).reduce((at, key) => (at as Record<string, unknown>)[key], root) as Record<
    string,
    unknown
  >;
  parent[path.at(-1) as string] = value;
}

function alter(root: unknown, path: Path, edit: "delete" | "retype"): void {
  const parent = path.slice(0, -1).reduce((at, key) => (at as Record<string, unknown>)[key], root) as Record<
    string,
    unknown
  >;
  const key = path.at(-1) as string;
  if (edit === "retype") parent[key] = typeof parent[key] === "string" ? 7 : "seven";
  else if (Array.isArray(parent)) parent[key as unknown as number] = null;
  else delete parent[key];
}
