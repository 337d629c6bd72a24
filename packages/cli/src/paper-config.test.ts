import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { paperConfig, sampleChoices } from "./paper-config.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-paper-config-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const notes: string[] = [];
const note = (text: string) => notes.push(text.replaceAll(folder, "TMP"));
const file = (text: string) => {
  const path = join(folder, "paper.yaml");
  writeFileSync(path, text);
  return path;
};

test("a file changes what it names, on the sample too", () => {
  const path = file("train: { ssl: { steps: 7 } }\nspe: { steps: 9 }\n");
  const own = paperConfig(path, { note });
  expect([own.train.ssl.steps, own.train.siamese.steps, own.spe.steps]).toEqual([7, 1500, 9]);
  const sample = paperConfig(path, { note, base: sampleChoices });
  const { siamese, ssl } = sampleChoices.train;
  expect([sample.train.ssl.steps, sample.train.ssl.batch, sample.train.siamese.steps]).toEqual([
    7,
    ssl.batch,
    siamese.steps,
  ]);
  expect([sample.spe.steps, sample.spe.batch]).toEqual([9, sampleChoices.spe.batch]);
  expect(notes).toEqual([]);
});

test("without a file, and with one that has nothing to say", () => {
  expect(paperConfig(undefined, { note }).train.ssl.steps).toBe(3000);
  expect(paperConfig(file("# nothing yet\n"), { note }).train.ssl.steps).toBe(3000);
  expect(notes).toEqual(["TMP/paper.yaml has no section train: and no section spe:, so that nothing is changed"]);
});

test("what cannot be meant is refused, by its place", () => {
  const message = (text: string) => {
    try {
      paperConfig(file(text), { note, base: sampleChoices });
      return "accepted";
    } catch (error) {
      return `${(error as { code: string }).code}: ${(error as Error).message.replaceAll(folder, "TMP")}`;
    }
  };
  expect(
    [
      message("trian: {}"),
      message("ssl: { steps: 3 }"),
      message("train: { ssl: { stepz: 3 } }"),
      message("train: { seed: 3 }"),
      message("spe: 3"),
      message("train:"),
      message("- 1"),
    ].join("\n"),
  ).toMatchInlineSnapshot(`
    "BAD_CONFIG: TMP/paper.yaml: unknown key "trian" at the top level; did you mean "train"?
    BAD_CONFIG: TMP/paper.yaml: ssl belongs under train:
    BAD_CONFIG: TMP/paper.yaml: train: unknown key "stepz" at ssl; did you mean "steps"?
    BAD_CONFIG: TMP/paper.yaml: train: seed: several are taken; name them with --seeds
    BAD_CONFIG: TMP/paper.yaml: spe: expected keys and values
    BAD_CONFIG: TMP/paper.yaml: train: expected keys and values, got nothing
    BAD_CONFIG: TMP/paper.yaml: expected keys and values, with a section train:, got a list"
  `);
});
