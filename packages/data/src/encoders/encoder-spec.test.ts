import { expect, test } from "vitest";
import { openEncoder, parseEncoderSpec } from "./encoder-spec.ts";

test("every kind", () => {
  expect(parseEncoderSpec("minilm")).toEqual({ kind: "minilm" });
  expect(parseEncoderSpec("lsa")).toEqual({ kind: "lsa" });
  expect(parseEncoderSpec("hf:./models/my-model")).toEqual({ kind: "hf", model: "./models/my-model" });
  expect(parseEncoderSpec("hf:C:\\models\\mine")).toEqual({ kind: "hf", model: "C:\\models\\mine" });
  expect(parseEncoderSpec("vectors:a/b.npy")).toEqual({ kind: "vectors", file: "a/b.npy" });
  expect(parseEncoderSpec("vectors:a#1/b.npy#plot")).toEqual({ kind: "vectors", file: "a#1/b.npy", tensor: "plot" });
});

test("what cannot be read", () => {
  const read = (text: string) => () => parseEncoderSpec(text);
  expect(read("MiniLM")).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: encoder "MiniLM": expected minilm, lsa, hf:<model folder> or vectors:<file>; did you mean minilm?]`,
  );
  expect(read("vector:plots.npy")).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: encoder "vector:plots.npy": expected minilm, lsa, hf:<model folder> or vectors:<file>; did you mean vectors:plots.npy?]`,
  );
  expect(read("bert")).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: encoder "bert": expected minilm, lsa, hf:<model folder> or vectors:<file>]`,
  );
  expect(read("")).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: encoder "": expected minilm, lsa, hf:<model folder> or vectors:<file>]`,
  );
  expect(read("minilm:large")).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: encoder "minilm:large": minilm takes nothing after it; write minilm]`,
  );
  expect(read("hf:")).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: encoder "hf:": hf needs a model, as in hf:./models/my-model]`,
  );
  expect(read("vectors")).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: encoder "vectors": vectors needs a file, as in vectors:plots.safetensors]`,
  );
  expect(read("vectors:a.npy#")).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: encoder "vectors:a.npy#": after # stands the name of a tensor or column, or no # at all]`,
  );
});

test("opens what can be opened", async () => {
  await using encoder = await openEncoder("minilm");
  expect(encoder.name).toBe("minilm");
  await expect(openEncoder({ kind: "hf", model: "./nowhere" })).rejects.toMatchObject({ code: "ENCODER_UNAVAILABLE" });
  await expect(openEncoder("lsa")).rejects.toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: openEncoder: lsa is fitted on the texts of a catalogue and has nothing to open; open minilm or hf:<model>, or fit a text channel]`,
  );
  await expect(openEncoder("vectors:a.npy")).rejects.toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: openEncoder: vectors:a.npy holds vectors by id and cannot encode a text; read it with readVectors]`,
  );
});
