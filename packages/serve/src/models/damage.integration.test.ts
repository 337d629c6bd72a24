// Model folders that are damaged in every way a copy can be: each is refused, with the file that is wrong, and the model that answers goes on.
import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Random } from "@nearkin/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeOnBoth } from "../testing/on-both.ts";
import { TinyServer } from "../testing/tiny-server.ts";

const seed = Number(process.env.NEARKIN_SEED ?? 20);
const FILES = ["catalogue.json", "items.safetensors", "model.json", "transforms.safetensors", "weights.safetensors"];
const MANIFEST = "model.json";
const SPOTS = 4; // where a file is cut, and where a bit is flipped

describeOnBoth(`a damaged model (NEARKIN_SEED=${seed})`, (fresh) => {
  let tiny: TinyServer;
  let before: Awaited<ReturnType<typeof answers>>;
  beforeAll(async () => {
    tiny = await TinyServer.open({ place: fresh(), folders: { a: {}, b: { seed: 8 } } });
    before = await answers();
  });
  afterAll(() => tiny[Symbol.asyncDispose]());

  const folderOf = (name: string) => join(tiny.folder, "models", name);

  /** What the server answers with, and by which model. */
  async function answers() {
    const { items, model } = await tiny.answer("similarToItem", { params: { id: "f000" }, query: { explain: "true" } });
    const { models, active } = await tiny.answer("listModels");
    return { items, model, active, folders: models.filter((one) => one.active).map(({ folder }) => folder) };
  }

  /** Asks for a copy of b with one file damaged; how that is answered. */
  async function activateDamaged(file: string, damage: (path: string) => void): Promise<string> {
    cpSync(folderOf("b"), folderOf("copy"), { recursive: true });
    try {
      damage(join(folderOf("copy"), file));
      const { status, text, error } = await tiny.ask("activateModel", { params: { id: "copy" } });
      expect(status, text).toBeGreaterThanOrEqual(400);
      expect(await answers()).toEqual(before);
      return `${status} ${error.code}: ${error.message}`;
    } finally {
      rmSync(folderOf("copy"), { recursive: true });
    }
  }

  test("has these files", () => {
    expect(readdirSync(folderOf("b")).sort()).toEqual(FILES);
  });

  test.each(FILES)("whose %s is cut off, or goes on too long", async (file) => {
    const random = new Random(seed).split("cut", file);
    const size = statSync(join(folderOf("b"), file)).size;
    // the manifest ends with a line break, which nobody misses
    const lengths = [0, size - 2, ...Array.from({ length: SPOTS }, () => random.below(size - 1))];
    for (const length of lengths) {
      const answer = await activateDamaged(file, (path) => truncateSync(path, length));
      expect(answer).toContain(
        `422 BAD_MODEL: ${file} ${file === MANIFEST ? "is not JSON, or cut short" : `has ${length} bytes instead of ${size}`}`,
      );
    }
    expect(await activateDamaged(file, (path) => appendFileSync(path, "x"))).toContain(`422 BAD_MODEL: ${file} `);
  });

  test.each(FILES)("whose %s has a flipped bit", async (file) => {
    const random = new Random(seed).split("flip", file);
    const bytes = readFileSync(join(folderOf("b"), file));
    for (let flip = 0; flip < SPOTS; flip++) {
      const changed = Uint8Array.from(bytes);
      changed[random.below(bytes.length - 1)] ^= 1 << random.below(8);
      const answer = await activateDamaged(file, (path) => writeFileSync(path, changed));
      expect(answer).toMatch(new RegExp(`^422 BAD_MODEL: ${file}\\b`));
    }
  });

  test("whose channel is of a type that there is not is listed with that problem", async () => {
    const answer = await activateDamaged(MANIFEST, (path) => {
      writeFileSync(path, readFileSync(path, "utf8").replace('"type": "categories"', '"type": "cauegories"'));
    });
    expect(answer).toMatch(/^422 BAD_MODEL: model\.json/);
  });

  test.each(FILES)("that lacks %s", async (file) => {
    const answer = await activateDamaged(file, (path) => rmSync(path));
    if (file === MANIFEST)
      expect(answer).toMatch(/^404 UNKNOWN_MODEL: no model has the id or folder "copy"; there are a \(/);
    else
      expect(answer).toMatch(
        new RegExp(`^422 BAD_MODEL: ${file} cannot be read \\(there is no .*is this a model folder`),
      );
  });

  test("that is served already goes on, and is not started with; whole again, it is", async () => {
    const path = join(folderOf("a"), "items.safetensors");
    const bytes = readFileSync(path);
    truncateSync(path, 100);
    expect((await tiny.ask("activateModel", { params: { id: "a" } })).error.code).toBe("BAD_MODEL");
    expect(await answers()).toEqual(before);
    await tiny.stop();
    await expect(tiny.start()).rejects.toMatchObject({
      code: "BAD_MODEL",
      message: expect.stringContaining("items.safetensors has 100 bytes instead of"),
    });
    writeFileSync(path, bytes);
    await tiny.start(); // nothing of the failed start holds the store
    expect(await answers()).toEqual(before);
  });

  test("does not keep a good one from being activated", async () => {
    await activateDamaged("weights.safetensors", (path) => truncateSync(path, 10));
    const { model } = await tiny.answer("activateModel", { params: { id: "b" } });
    expect((await answers()).active).toBe(model.id);
  });
});
