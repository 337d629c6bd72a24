// Texts to vectors, through a pipe and from file to file, by the real encoder.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { readParquetVectors } from "@nearkin/data";
import { openEncoder, readVectors } from "@nearkin/data/encoders";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../testing/run.ts";

let root: string;
const at = (name: string) => join(root, name);
const plots = ["A cat in space.", "A dog in the snow — wörtlich", 'Two thieves\tand a "plan"\\'];
let expected: Float32Array;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-encode-"));
  await using encoder = await openEncoder("minilm", { threads: 1 });
  expected = await encoder.encode(plots); // (3, 384)
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const bin = fileURLToPath(new URL("../../bin/nearkin.js", import.meta.url));
const encode = (...args: string[]) => run("encode", "--threads", "1", ...args);
const vectorOf = (i: number) => expected.subarray(i * 384, (i + 1) * 384);
const parsed = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("as a filter", () => {
  test("one line in, one out, in order; numbers have the bits of the floats; bad lines get the reason", async () => {
    const lines = [
      JSON.stringify({ id: "a", text: plots[0] }),
      "{not json",
      JSON.stringify({ id: 7, text: plots[1] }),
      "",
      JSON.stringify({ id: "blank", text: " \n" }),
      JSON.stringify({ id: "null", text: null }),
      JSON.stringify({ id: "no text" }),
      JSON.stringify({ text: "whose?" }),
      JSON.stringify({ id: "b", txet: "x" }),
      JSON.stringify({ id: "b", text: ["x"] }),
      JSON.stringify({ id: "c", text: plots[2] }),
    ];
    writeFileSync(at("in.jsonl"), `\ufeff${lines.join("\n")}`);
    const { code, out, err } = await encode("--in", at("in.jsonl"));
    expect(code).toBe(0);
    expect(err).toMatch(/^10 texts in [\d.]+ s, 5 of them refused\n$/);
    const answers = parsed(out);
    for (const [i, place] of [0, 2, 9].entries()) {
      expect(Float32Array.from(answers[place].vector)).toEqual(vectorOf(i));
    }
    expect(answers.map(({ id }) => id)).toEqual(["a", null, "7", "blank", "null", "no text", null, "b", "b", "c"]);
    expect([answers[3], answers[4]]).toEqual([
      { id: "blank", vector: null },
      { id: "null", vector: null },
    ]);
    expect(
      answers.flatMap(({ line, error }) => (error ? [`${line}: ${error.code}: ${error.message}`] : [])),
    ).toMatchInlineSnapshot(`
      [
        "2: BAD_JSON: Expected property name or '}' in JSON at position 1",
        "7: BAD_ARGUMENT: expected {"id": "an id", "text": "what to encode"}, got no text",
        "8: BAD_ARGUMENT: expected {"id": "an id", "text": "what to encode"}, got no id",
        "9: BAD_ARGUMENT: unknown key "txet"; did you mean "text"? (known are id, text)",
        "10: BAD_ARGUMENT: text: expected a text, got a list of 1",
      ]
    `);
  });

  test("answers do not wait for the end of the input", async () => {
    const child = spawn(process.execPath, [bin, "encode", "--in", "-", "--out", "-"], {
      stdio: "pipe",
    });
    let err = "";
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    const ended = once(child, "close");
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (let i = 0; i < 3; i++) {
      child.stdin.write(`${JSON.stringify({ id: String(i), text: plots[i] })}\n`); // the next comes after the answer
      const { id, vector } = JSON.parse((await answers.next()).value);
      expect(id).toBe(String(i));
      expect(Float32Array.from(vector)).toEqual(vectorOf(i));
    }
    child.stdin.end();
    expect((await ended)[0], err).toBe(0);
    expect(err).toMatch(/^3 texts in [\d.]+ s\n$/);
  });
});

describe("from file to file", () => {
  test("a Parquet file that the encoder vectors: reads", async () => {
    const lines = [...plots, "", plots[0]].map((text, i) => JSON.stringify({ id: `p${i % 4}`, text }));
    writeFileSync(at("plots.jsonl"), lines.join("\n"));
    const to = ["--in", at("plots.jsonl"), "--cache", at("cache"), "--out"];
    const { code, out, err } = await encode(...to, at("plots.parquet"));
    expect({ code, out }).toEqual({ code: 0, out: `${at("plots.parquet")}\n` });
    expect(err.replace(/in [\d.]+ s/, "in … s")).toMatchInlineSnapshot(`
      "5 texts in … s, 1 of them refused
        line 5: BAD_VALUE: id "p0" was on an earlier line; keep one line for each id
      "
    `);
    const table = await readVectors(at("plots.parquet"), { readParquet: readParquetVectors });
    expect(table).toEqual({
      dimensions: 384,
      ids: ["p0", "p1", "p2", "p3"],
      vectors: Float32Array.from([...expected, ...new Float32Array(384)]),
    });
    expect((await encode(...to, at("lines.jsonl"))).code).toBe(0);
    const answers = parsed(readFileSync(at("lines.jsonl"), "utf8"));
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      ["p0", undefined],
      ["p1", undefined],
      ["p2", undefined],
      ["p3", undefined],
      ["p0", "BAD_VALUE"],
    ]);
    expect(readdirSync(root).filter((name) => /tmp/.test(name))).toEqual([]);
  });

  test("prepare takes it", async () => {
    writeFileSync(at("films.csv"), "item,plot\np0,a\np1,b\np2,c\np3,d\n");
    const ratings = Array.from(
      { length: 24 },
      (_, i) => `u${i % 6},p${(i * 5 + (i >> 2)) % 4},${1 + (i % 5)},${1000 + i}\n`,
    );
    writeFileSync(at("ratings.csv"), `user,item,rating,timestamp\n${ratings.join("")}`);
    writeFileSync(
      at("films.yaml"),
      `interactions: { files: ratings.csv }
items: { files: films.csv }
channels: { plot: { type: text, column: plot, encoder: "vectors:plots.parquet", pca: 2 } }
split: { by: none }
`,
    );
    const { code, err } = await run("prepare", at("films.yaml"), "--out", at("films"));
    expect(code, err).toBe(0);
  });
});

test("command lines that make no sense say what to do", async () => {
  const said = async (...args: string[]) => (await encode(...args)).err.replaceAll(root, "…");
  writeFileSync(at("bad.jsonl"), "[]\n{}\n");
  expect([
    await said("--in", at("nowhere.jsonl")),
    await said("--in", "-", "--encoder", "lsa"),
    await said("--in", "-", "--encoder", "vectors:x.npy"),
    await said("--in", "-", "--out", at("x.csv")),
    await said("--in", at("bad.jsonl"), "--out", at("x.parquet")),
  ]).toMatchInlineSnapshot(`
    [
      "BAD_ARGUMENT: --in: …/nowhere.jsonl cannot be read: ENOENT: no such file or directory, open '…/nowhere.jsonl'
    ",
      "BAD_ARGUMENT: --encoder: lsa is fitted to all texts of a catalogue by prepare; name minilm or hf:<model folder>
    ",
      "BAD_ARGUMENT: --encoder: vectors names vectors that were made already; name minilm or hf:<model folder>
    ",
      "BAD_ARGUMENT: --out: expected a file that ends in .parquet or .jsonl, got …/x.csv
    ",
      "BAD_ARGUMENT: --in: every line was refused, the first: line 1: BAD_ARGUMENT: expected {"id": "an id", "text": "what to encode"}, got a list of 0
    ",
    ]
  `);
  expect(existsSync(at("x.parquet"))).toBe(false);
});
