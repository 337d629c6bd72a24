import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, fitEncodedText, type ModelParts, NearkinError, Random } from "@nearkin/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openModel } from "./index.ts";
import { writeModelFolder, writeTinyModel } from "./testing/model-folder.ts";

let root: string;
let parts: ModelParts;
const at = (name: string) => join(root, name);
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-open-"));
  parts = await writeTinyModel(at("tiny"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function errorOf(call: () => Promise<unknown>): Promise<string> {
  const error = await call().catch((reason: unknown) => reason);
  if (!(error instanceof NearkinError)) throw error ?? new Error("expected an error");
  return `${error.code}: ${error.message.replaceAll(root, "TMP")}`;
}

test("a folder is all it takes, wherever it is moved", async () => {
  cpSync(at("tiny"), at("moved [here]"), { recursive: true });
  await using model = await openModel(at("moved [here]"));
  expect(model.name).toBe("tiny");
  expect(model.items.size).toBe(40);
  const { items } = await model.similar("f003", { k: 3, explain: true });
  expect(items).toHaveLength(3);
});

test("an engine of the caller's is used, and left open", async () => {
  await using engine = await createEngine({ workers: 1 });
  const model = await openModel(at("tiny"), { engine });
  expect(model.engine).toBe(engine);
  await model.close();
  using scope = engine.scope();
  expect(scope.matrix(1, 1).fill(1).get(0, 0)).toBe(1);
});

test("the encoder of a text channel is loaded for a draft with such a text, and never before", async () => {
  // `toy` is no encoder of @nearkin/data: asking for it shows when it is asked for
  await using model = await openModel(at("tiny"));
  expect((await model.similar({ title: "The Quiet Winter" })).missing.map(({ channel }) => channel)).toContain("plot");
  expect(await errorOf(() => model.similar({ plot: "a sailor returns" }))).toMatchInlineSnapshot(
    `"BAD_ARGUMENT: encoder "toy": expected minilm, lsa, hf:<model folder> or vectors:<file>"`,
  );
});

test("MiniLM encodes the text of a draft, and ends with the model", async () => {
  await using engine = await createEngine({ workers: 1 });
  const random = new Random(3);
  const vectors = Array.from({ length: 12 }, () => Float32Array.from({ length: 384 }, () => random.normal()));
  const transform = fitEncodedText(engine, vectors, { encoder: "minilm", dimensions: 384, pca: 4 });
  const channels = parts.channels.map((channel) => (channel.name === "plot" ? { ...channel, transform } : channel));
  await writeModelFolder(at("minilm"), { ...parts, channels });
  const model = await openModel(at("minilm"), { engine });
  const of = async (plot: string) => Array.from((await model.embed({ plot })).embedding);
  const { missing } = await model.embed({ plot: "a sailor returns to a town that has forgotten him" });
  expect(missing.map(({ channel }) => channel)).not.toContain("plot");
  expect(await of("a sailor returns")).toEqual(await of("  a sailor\n returns "));
  expect(await of("a sailor returns")).not.toEqual(await of("two sisters inherit a cinema"));
  await model.close();
  expect(await errorOf(() => model.embed({ plot: "too late" }))).toBe(
    "ENGINE_CLOSED: the model tiny is closed; open it again",
  );
});

test("an encoder that is not installed leaves its channel missing, with the command that installs it", async () => {
  const named = (name: string): ModelParts => ({
    ...parts,
    channels: parts.channels.map((channel) =>
      channel.transform.type === "text" && channel.transform.encoder.kind === "external"
        ? { ...channel, transform: { ...channel.transform, encoder: { ...channel.transform.encoder, name } } }
        : channel,
    ),
  });
  await writeModelFolder(at("hf"), named("hf:./nowhere/model"));
  await using model = await openModel(at("hf"));
  const [missing] = (await model.predict({ plot: "a sailor returns", title: "The Quiet Winter" })).missing.filter(
    ({ channel }) => channel === "plot",
  );
  expect(missing.reason).toMatch(/^hf:/);
  await writeModelFolder(at("vectors"), named("vectors:plots.safetensors"));
  await using other = await openModel(at("vectors"));
  expect((await other.similar({ plot: "a sailor" })).missing.find(({ channel }) => channel === "plot")).toEqual({
    channel: "plot",
    reason: "its vectors come from vectors:plots.safetensors; it takes a vector of 6 numbers",
  });
});

test("what is no model folder says so", async () => {
  writeFileSync(at("file"), "");
  cpSync(at("tiny"), at("cut"), { recursive: true });
  writeFileSync(at("cut/items.safetensors"), readFileSync(at("tiny/items.safetensors")).subarray(0, 99));
  cpSync(at("tiny"), at("partial"), { recursive: true });
  rmSync(at("partial/catalogue.json"));
  expect([
    await errorOf(() => openModel(at("nowhere"))),
    await errorOf(() => openModel(at("file"))),
    await errorOf(() => openModel(root)),
    await errorOf(() => openModel(at("cut"))),
    await errorOf(() => openModel(at("partial"))),
  ]).toMatchInlineSnapshot(`
    [
      "BAD_MODEL: TMP/nowhere does not exist; expected a folder that nearkin train wrote",
      "BAD_MODEL: TMP/file is not a folder that nearkin train wrote",
      "BAD_MODEL: model.json cannot be read (there is no TMP/model.json); is this a model folder, and complete?",
      "BAD_MODEL: TMP/cut: items.safetensors has 99 bytes instead of 12112; copy the folder again, or train the model again",
      "BAD_MODEL: catalogue.json cannot be read (there is no TMP/partial/catalogue.json); is this a model folder, and complete?",
    ]
  `);
});
