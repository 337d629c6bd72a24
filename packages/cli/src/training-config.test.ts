import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { presets } from "@nearkin/train";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TrainingConfigFlags, trainingConfig } from "./training-config.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-config-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The error that a file of this text gives, or the notes. */
function outcome(content: string | Uint8Array, flags: TrainingConfigFlags = {}): string {
  const path = join(folder, "nearkin.yaml");
  writeFileSync(path, content);
  return outcomeOf({ config: path, ...flags });
}

function outcomeOf(flags: TrainingConfigFlags): string {
  const notes: string[] = [];
  try {
    trainingConfig(flags, (text) => notes.push(text));
    return `accepted${notes.map((text) => `, ${text}`).join("")}`.replaceAll(folder, "TMP");
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`.replaceAll(folder, "TMP");
  }
}

test("the section train:, with what the command line changes", () => {
  const path = join(folder, "small.yaml");
  writeFileSync(path, "name: Films\nseed: 7\nchannels: {}\ntrain: { preset: fast, ssl: { steps: 7 } }\n");
  const config = trainingConfig({ config: path, seed: 3, stages: ["ssl"] }, () => {});
  expect(config).toEqual({ ...presets.fast, seed: 3, stages: ["ssl"], ssl: { ...presets.fast.ssl, steps: 7 } });
  expect(trainingConfig({ preset: "paper" }, () => {})).toEqual(presets.paper);
});

test("a section that is misspelt, elsewhere or of another kind is an error; one that is missing is told", () => {
  expect(
    [
      outcome("trian: { preset: fast }"),
      outcome("train: { preset: fast }\nsiamese: { steps: 3 }\nsslx: 1\n"),
      outcome("preset: fast"),
      outcome("train: [1, 2]"),
      outcome("train:\n"),
      outcome("train: fast"),
      outcome("- train: { preset: fast }"),
      outcome("just words"),
      outcome("interactions: { files: ratings.csv }"),
      outcome("interactions: { files: ratings.csv }", { preset: "fast" }),
      outcome("# nothing yet\n"),
      outcome("train: { siamese: { stepz: 3 } }"),
      outcome("train: {"),
    ].join("\n"),
  ).toMatchInlineSnapshot(`
    "BAD_CONFIG: TMP/nearkin.yaml: unknown key "trian" at the top level; did you mean "train"?
    BAD_CONFIG: TMP/nearkin.yaml: siamese belongs under train:; unknown key "sslx" at the top level
    BAD_CONFIG: TMP/nearkin.yaml: preset belongs under train:
    BAD_CONFIG: TMP/nearkin.yaml: train: expected keys and values, got a list
    BAD_CONFIG: TMP/nearkin.yaml: train: expected keys and values, got nothing
    BAD_CONFIG: TMP/nearkin.yaml: train: expected keys and values, got a string
    BAD_CONFIG: TMP/nearkin.yaml: expected keys and values, with a section train:, got a list
    BAD_CONFIG: TMP/nearkin.yaml: expected keys and values, with a section train:, got a string
    accepted, TMP/nearkin.yaml has no section train:, so the preset default is used as it is
    accepted, TMP/nearkin.yaml has no section train:, so the preset fast is used as it is
    accepted, TMP/nearkin.yaml has no section train:, so the preset default is used as it is
    BAD_CONFIG: TMP/nearkin.yaml: train: unknown key "stepz" at siamese; did you mean "steps"?
    BAD_CONFIG: TMP/nearkin.yaml: Flow map in block collection must be sufficiently indented and end with a } at line 1, column 9:

    train: {
            ^"
  `);
});

test("what is no such file", () => {
  expect(
    [
      outcomeOf({ config: folder }),
      outcomeOf({ config: join(folder, "none.yaml") }),
      outcome(Uint8Array.of(0x50, 0x41, 0x52, 0x31, 0, 0, 7)),
      outcome(Uint8Array.of(0x61, 0xff, 0xfe)),
    ].join("\n"),
  ).toMatchInlineSnapshot(`
    "BAD_CONFIG: TMP is a folder; name the file, such as TMP/nearkin.yaml
    BAD_CONFIG: TMP/none.yaml: there is no such file
    BAD_CONFIG: TMP/nearkin.yaml is no text file in UTF-8; expected a nearkin.yaml
    BAD_CONFIG: TMP/nearkin.yaml is no text file in UTF-8; expected a nearkin.yaml"
  `);
});
