import { createEngine, decodeSafetensors, type Engine, encodeSafetensors, Random, type Scope } from "@nearkin/core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { resolveTrainConfig } from "../config/resolve.ts";
import { toySet } from "../testing/toy-set.ts";
import { encodeCheckpoint, type RunIdentity, restoreCheckpoint } from "./checkpoint.ts";
import { openRun, type Run } from "./run.ts";

const config = resolveTrainConfig({ stages: ["siamese"], model: { hidden: 4, embedding: 3 } });
const identity: RunIdentity = { dataset: "toy", config, engine: "plain", from: null, steps: null, version: "0.1.0" };

let engine: Engine;
let scope: Scope;
let run: Run;
let saved: Uint8Array;
beforeAll(async () => {
  engine = await createEngine({ engine: "plain" });
  scope = engine.scope();
});
afterAll(() => engine.close());
beforeEach(() => {
  run = opened();
  saved = encodeCheckpoint(run, identity);
});

function opened(given = config): Run {
  const random = new Random(1);
  return openRun(engine, scope, { config: given, set: toySet(engine, given), random });
}

const restored = (bytes: Uint8Array, to = opened(), now = identity) =>
  restoreCheckpoint(to, bytes, { identity: now, where: "m.partial", scope });

function failure(bytes: Uint8Array, to?: Run, now?: RunIdentity): string {
  try {
    restored(bytes, to, now);
    return "accepted";
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
}

/** The checkpoint with its hash as it stands, and other tensors or texts. */
function changed(change: (file: ReturnType<typeof decodeSafetensors>) => void): Uint8Array {
  const file = decodeSafetensors(saved);
  change(file);
  return encodeSafetensors(Object.fromEntries(file.tensors), file.metadata);
}

test("what was saved comes back", () => {
  const again = encodeCheckpoint(restored(saved), identity);
  expect(Buffer.from(again).equals(saved)).toBe(true);
});

test("one bit that has changed is found, wherever it is", () => {
  const start = 8 + Number(new DataView(saved.buffer).getBigUint64(0, true));
  const at = (text: string) => Buffer.from(saved).indexOf(text);
  for (const position of [start, Math.floor((start + saved.length) / 2), saved.length - 1, at("waited") + 1]) {
    const bytes = saved.slice();
    bytes[position] ^= 1;
    expect(failure(bytes)).toBe(
      "BAD_FILE: m.partial: the checkpoint is damaged (its SHA-256 is another); start anew without --resume",
    );
  }
});

test("a file that is cut short, of another version, or without its notes", () => {
  expect(failure(saved.slice(0, saved.length - 4))).toMatch(/^BAD_FILE: m\.partial: the checkpoint is damaged \(.*/);
  expect(failure(changed(({ metadata }) => Object.assign(metadata, { format: "nearkin-checkpoint 1" })))).toBe(
    "BAD_FILE: m.partial: it is no checkpoint of this version; start anew without --resume",
  );
  expect(failure(changed(({ metadata }) => void delete metadata.progress))).toContain("its SHA-256 is another");
  expect(failure(changed(({ metadata }) => void delete metadata.sha256))).toContain("its SHA-256 is another");
});

test("arrays of another length, where the hash is right", () => {
  const wider = opened(resolveTrainConfig({ stages: ["siamese"], model: { hidden: 5, embedding: 3 } }));
  expect(failure(encodeCheckpoint(wider, identity))).toBe(
    `BAD_FILE: m.partial: the checkpoint is damaged ("flat" has ${wider.layout.size} numbers of F32, expected ${run.layout.size} numbers of F32); start anew without --resume`,
  );
});

test("a run with other settings is refused, and what differs is named", () => {
  const now = { ...identity, config: { ...config, seed: 5, channels: ["look"], ssl: { ...config.ssl, steps: 7 } } };
  expect(failure(saved, opened(), now)).toMatchInlineSnapshot(
    `"BAD_ARGUMENT: m.partial: the run that was stopped had other settings (seed: 1, now 5; channels: none, now look; ssl.steps: 1500, now 7); give the same options to go on with it, or start anew without --resume"`,
  );
  expect(
    failure(saved, opened(), { ...identity, engine: "wasm", from: "0123456789abcdef".repeat(4), steps: { ssl: 3 } }),
  ).toMatchInlineSnapshot(
    `"BAD_ARGUMENT: m.partial: the run that was stopped had other settings (engine: plain, now wasm; from: none, now 0123456789ab; steps: none, now {"ssl":3}); give the same options to go on with it, or start anew without --resume"`,
  );
  const all = { ...config, seed: 2, siamese: { ...config.ssl } };
  expect(failure(saved, opened(), { ...identity, config: all })).toMatch(/; \d+ more\); give the same options/);
});
