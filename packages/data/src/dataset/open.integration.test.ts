import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeSafetensors } from "@nearkin/core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { datasetId, hashEntry, type Manifest } from "../manifest.ts";
import { loadChannels } from "./channels.ts";
import { loadTraining } from "./load.ts";
import { openDataset } from "./open.ts";
import { makeDataset, temporaryFolder } from "./testing/world.ts";

const temporary = temporaryFolder();
const whole = join(temporary.path, "whole");
const folder = join(temporary.path, "films");
beforeAll(async () => {
  await makeDataset(temporary.path, "whole", {
    interactions: "user,item,rating\nann,a,1\nann,b,2\nbob,a,3\nbob,c,4",
    items: "item,kind,price\na,Drama,1\nb,War,2\nc,War,3",
    config: {
      channels: { kind: { type: "categories", column: "kind" }, price: { type: "number", column: "price" } },
      split: { by: "none" },
    },
  });
});
afterAll(() => temporary[Symbol.dispose]());
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(`${folder}.partial`, { recursive: true, force: true });
  cpSync(whole, folder, { recursive: true });
});

const inFolder = (name: string) => join(folder, name);

/** The message of the error, with its code, as the command line prints it. */
async function problem(promise: Promise<unknown>): Promise<string> {
  const error = (await promise.then(
    () => new Error("no error"),
    (cause: unknown) => cause,
  )) as Error & { code?: string };
  return `${error.code}: ${error.message.replaceAll(temporary.path, "TMP")}`;
}

/** Edits the manifest; with `keepId` as somebody would who knows nothing of the id. */
function editManifest(edit: (manifest: Manifest) => void, { keepId = false } = {}): void {
  const manifest = JSON.parse(readFileSync(inFolder("dataset.json"), "utf8")) as Manifest;
  edit(manifest);
  if (!keepId) manifest.id = datasetId(manifest);
  writeFileSync(inFolder("dataset.json"), JSON.stringify(manifest));
}

/** Writes another file, and makes the manifest agree with it. */
async function replaceFile(name: string, bytes: Uint8Array): Promise<void> {
  writeFileSync(inFolder(name), bytes);
  const entry = await hashEntry(inFolder(name), name);
  editManifest((manifest) => {
    manifest.files = manifest.files.map((file) => (file.name === name ? entry : file));
  });
}

/** Another byte in the middle of a file; its size stays. */
function tamper(name: string): void {
  const bytes = readFileSync(inFolder(name));
  bytes[bytes.length >> 1] ^= 1;
  writeFileSync(inFolder(name), bytes);
}

test("a whole dataset opens, and verifies", async () => {
  const { manifest, path } = await openDataset(folder, { verify: true });
  expect(manifest).toEqual(JSON.parse(readFileSync(inFolder("dataset.json"), "utf8")));
  expect(path("train/pairs.parquet")).toBe(inFolder("train/pairs.parquet"));
});

describe("what is no dataset is named as such:", () => {
  test("nothing there", async () => {
    rmSync(folder, { recursive: true });
    expect(await problem(openDataset(folder))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: there is no such folder"`,
    );
  });

  test("nothing there but an unfinished run", async () => {
    renameSync(folder, `${folder}.partial`);
    expect(await problem(openDataset(`${folder}/`))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films/: there is no such folder; films.partial is an unfinished run: go on with nearkin prepare --resume"`,
    );
    rmSync(`${folder}.partial/dataset.json`);
    expect(await problem(openDataset(`${folder}.partial`))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films.partial has no dataset.json, so it is no dataset; films.partial is an unfinished run: go on with nearkin prepare --resume"`,
    );
  });

  test("a file", async () => {
    expect(await problem(openDataset(inFolder("dataset.json")))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films/dataset.json is a file; expected the folder that nearkin prepare wrote"`,
    );
  });

  test("a folder without dataset.json", async () => {
    rmSync(inFolder("dataset.json"));
    expect(await problem(openDataset(folder))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films has no dataset.json, so it is no dataset; expected the folder that nearkin prepare wrote"`,
    );
    mkdirSync(`${folder}.partial`);
    expect(await problem(openDataset(folder))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films has no dataset.json, so it is no dataset; films.partial is an unfinished run: go on with nearkin prepare --resume"`,
    );
  });

  test("dataset.json that is not JSON", async () => {
    writeFileSync(inFolder("dataset.json"), "");
    expect(await problem(openDataset(folder))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: dataset.json is not JSON (Unexpected end of JSON input); prepare it again, or copy it whole"`,
    );
  });

  test("dataset.json of something else", async () => {
    writeFileSync(inFolder("dataset.json"), "null");
    expect(await problem(openDataset(folder))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: dataset.json has the format undefined, expected "nearkin-dataset"; prepare it again, or copy it whole"`,
    );
    writeFileSync(inFolder("dataset.json"), '{"format": "parquet"}');
    expect(await problem(openDataset(folder))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: dataset.json has the format "parquet", expected "nearkin-dataset"; prepare it again, or copy it whole"`,
    );
  });

  test("another version", async () => {
    editManifest((manifest) => Object.assign(manifest, { version: 2 }));
    expect(await problem(openDataset(folder))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: it is of version 2, and this program reads version 1; prepare it again, or copy it whole"`,
    );
  });

  test("fields that are missing or new", async () => {
    editManifest((manifest) => {
      Object.assign(manifest, { owner: "me" });
      Object.assign(manifest.counts, { users: -1, training: undefined });
    });
    expect(await problem(openDataset(folder))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: dataset.json: counts.users: Too small: expected number to be >=0; counts.training: Invalid input: expected object, received undefined; the top level: Unrecognized key: "owner"; prepare it again, or copy it whole"`,
    );
  });

  test("names that lead out of the folder", async () => {
    editManifest((manifest) => {
      manifest.files[0].name = "../whole/items.parquet";
    });
    expect(await problem(openDataset(folder))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: dataset.json lists "../whole/items.parquet", which is no file of the folder; prepare it again, or copy it whole"`,
    );
  });
});

describe("a damaged dataset is found out:", () => {
  test("a missing and a truncated file", async () => {
    rmSync(inFolder("train/pairs.parquet"));
    truncateSync(inFolder("users.parquet"), 10);
    expect((await problem(openDataset(folder))).replace(/instead of \d+/, "instead of N")).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: train/pairs.parquet is missing; users.parquet has 10 bytes instead of N; prepare it again, or copy it whole"`,
    );
  });

  test("a missing truth, where it is asked for", async () => {
    rmSync(inFolder("truth"), { recursive: true });
    expect(await problem(openDataset(folder, { verify: true }))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: truth/affinity.parquet is missing; truth/co-interaction.parquet is missing; truth/items.parquet is missing; truth/queries.parquet is missing; prepare it again, or copy it whole"`,
    );
    await openDataset(folder);
  });

  test("one changed byte in any file, by verify", async () => {
    const { manifest } = await openDataset(folder);
    expect(manifest.files.length).toBeGreaterThan(10);
    for (const { name, sha256 } of manifest.files) {
      tamper(name);
      await openDataset(folder); // the sizes are right
      expect(await problem(openDataset(folder, { verify: true }))).toMatch(
        new RegExp(
          `^BAD_DATASET: TMP/films: ${name} was changed: its sha256 is [0-9a-f]{64}, not ${sha256}; prepare it`,
        ),
      );
      cpSync(join(whole, name), inFolder(name));
    }
    await openDataset(folder, { verify: true });
  });

  test("an edited list of files", async () => {
    editManifest(
      (manifest) => {
        manifest.files[0].sha256 = "0".repeat(64);
      },
      { keepId: true },
    );
    expect(await problem(openDataset(folder))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: dataset.json was edited: its id does not belong to what it says; prepare it again, or copy it whole"`,
    );
  });

  test("a Parquet file that is none, when it is read", async () => {
    await replaceFile("train/pairs.parquet", new TextEncoder().encode("not Parquet, though long enough"));
    const opened = await openDataset(folder);
    expect(await problem(loadTraining(opened))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: train/pairs.parquet cannot be read (Invalid Input Error: No magic bytes found at end of file 'TMP/films/train/pairs.parquet'); prepare it again, or copy it whole"`,
    );
  });

  test("tables of other sizes than the manifest says", async () => {
    await replaceFile("train/pairs.parquet", readFileSync(inFolder("users.parquet")));
    expect(await problem(loadTraining(await openDataset(folder)))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: train/pairs.parquet cannot be read (Binder Error: Referenced column "anchor" not found in FROM clause!); prepare it again, or copy it whole"`,
    );
    cpSync(whole, folder, { recursive: true });
    editManifest((manifest) => {
      manifest.counts.training.interactions = 5;
    });
    expect(await problem(loadTraining(await openDataset(folder)))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: train/users.parquet counts 4 events, and train/interactions.parquet should hold 5; prepare it again, or copy it whole"`,
    );
    editManifest((manifest) => {
      manifest.counts.training.interactions = 4;
      manifest.counts.training.pairs = 1;
    });
    expect(await problem(loadTraining(await openDataset(folder)))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: train/pairs.parquet has more than 1 rows; prepare it again, or copy it whole"`,
    );
    editManifest((manifest) => {
      manifest.counts.training.pairs = 3;
    });
    expect(await problem(loadTraining(await openDataset(folder)))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: train/pairs.parquet has 2 rows instead of 3; prepare it again, or copy it whole"`,
    );
    editManifest((manifest) => {
      manifest.counts.training.pairs = 2;
      manifest.counts.items = 2;
    });
    expect(await problem(loadTraining(await openDataset(folder)))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: train/interactions.parquet: row 3 has the index 2, outside [0, 2); prepare it again, or copy it whole"`,
    );
  });

  test("arrays that do not fit the items or the transform", async () => {
    const missing = { type: "U8", shape: [3], data: new Uint8Array(3) } as const;
    const values = { type: "F64", shape: [2], data: new Float64Array(2) } as const;
    await replaceFile("channels/price.safetensors", encodeSafetensors({ values, missing }));
    expect(await problem(loadChannels(await openDataset(folder)))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: channels/price.safetensors: "values" must be F64 [3], got F64 [2]; prepare it again, or copy it whole"`,
    );
    const i32 = (...data: number[]) => ({ type: "I32", shape: [data.length], data: new Int32Array(data) }) as const;
    const rows = (starts: number[], indices: number[]) =>
      encodeSafetensors({ starts: i32(...starts), indices: i32(...indices), missing });
    await replaceFile("channels/kind.safetensors", rows([0, 1, 2, 3], [0, 1, 2]));
    expect(await problem(loadChannels(await openDataset(folder)))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: channels/kind.safetensors: "indices": row 2 has the index 2, outside [0, 2); prepare it again, or copy it whole"`,
    );
    await replaceFile("channels/kind.safetensors", rows([0, 1, 2, 4], [0, 1, 1]));
    expect(await problem(loadChannels(await openDataset(folder)))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: channels/kind.safetensors: "starts" must rise from 0 to the 3 indices; prepare it again, or copy it whole"`,
    );
    await replaceFile("transforms.safetensors", encodeSafetensors({ missing }));
    expect(await problem(loadChannels(await openDataset(folder)))).toMatchInlineSnapshot(
      `"BAD_DATASET: TMP/films: the transform of channel kind cannot be read (stored transform kind: the tensor "kind.counts" is missing); prepare it again, or copy it whole"`,
    );
  });
});
