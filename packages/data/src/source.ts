// What a user may point `prepare` at: a nearkin.yaml, a folder, or the word `marquee`; and what is prepared in each case.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { NearkinError } from "@nearkin/core";
import { parseYaml } from "./config/parse.ts";
import type { ConfigInput } from "./config/schema.ts";
import { findLayout, layoutConfig } from "./layouts/index.ts";
import { writeMarquee } from "./sample/index.ts";

/** The name of the built-in sample. */
export const SAMPLE = "marquee";

export interface ResolvedSource extends Disposable {
  /** A short name, for the output folder. */
  name: string;
  /** As it would stand in nearkin.yaml; not checked yet. */
  config: unknown;
  /** Where its relative file names start. */
  folder: string;
  /** How it was found, in words. */
  description: string;
}

/** @param layout the name of a known layout, for a folder that should not be guessed at */
export async function resolveSource(source: string, layout?: string): Promise<ResolvedSource> {
  if (source === SAMPLE && !existsSync(source)) return resolveSample();
  if (!existsSync(source)) {
    throw new NearkinError(
      "BAD_SOURCE",
      `${source}: there is no such file or folder, and it is not ${SAMPLE}, the built-in sample; make a nearkin.yaml with: nearkin init <files>`,
    );
  }
  const path = resolve(source);
  const fixed = { [Symbol.dispose]: () => {} };
  if (!statSync(path).isDirectory()) {
    if (!/\.ya?ml$/i.test(path)) {
      throw new NearkinError("BAD_SOURCE", `${source} is not a nearkin.yaml; make one with: nearkin init ${source}`);
    }
    const name = /^nearkin\.ya?ml$/i.test(basename(path))
      ? basename(dirname(path))
      : basename(path).replace(/\.ya?ml$/i, "");
    const config = parseYaml(readFileSync(path, "utf8"), source);
    return { ...fixed, name, config, folder: dirname(path), description: source };
  }
  const yaml = join(path, "nearkin.yaml");
  if (layout === undefined && existsSync(yaml)) return resolveSource(yaml);
  const found = layout ?? findLayout(path);
  if (found === undefined) {
    const hidden = source === SAMPLE ? " (to prepare the built-in sample of this name, run the command elsewhere)" : "";
    throw new NearkinError(
      "BAD_SOURCE",
      `${source} has no nearkin.yaml and no layout that is known; make one with: nearkin init ${source}${hidden}`,
    );
  }
  const config: ConfigInput = layoutConfig(found, path);
  return { ...fixed, name: basename(path), config, folder: path, description: `the layout ${found} in ${source}` };
}

async function resolveSample(): Promise<ResolvedSource> {
  sampleFolder ??= writeSample();
  return {
    name: SAMPLE,
    config: sampleConfig,
    folder: await sampleFolder,
    description: "the built-in sample: real films, SIMULATED users and ratings",
    [Symbol.dispose]: () => {},
  };
}

/** The folder of the sample's files: simulated once in a process, which takes seconds, and removed when the process ends. */
let sampleFolder: Promise<string> | undefined;

async function writeSample(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "nearkin-marquee-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  try {
    await writeMarquee(folder);
    return folder;
  } catch (error) {
    sampleFolder = undefined; // the next caller tries again
    throw error;
  }
}

/** How the files of the sample are prepared. */
const sampleConfig: ConfigInput = {
  name: SAMPLE,
  simulated: true,
  interactions: {
    files: "ratings.csv",
    columns: { user: "userId", item: "filmId", rating: "rating", time: "timestamp" },
    ratingRange: [0.5, 5],
  },
  items: { files: "films.jsonl", columns: { item: "id", title: "title" }, fields: ["directors", "countries", "year"] },
  channels: {
    genres: { type: "categories", column: "genres" },
    plot: { type: "text", column: "plot" },
    director: { type: "categories", column: "directors" },
    country: { type: "categories", column: "countries" },
    year: { type: "number", column: "year" },
  },
};
