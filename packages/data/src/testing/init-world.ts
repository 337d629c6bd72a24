// Files for tests of init: rows drawn by a seed, written in any shape, and the configuration that init suggests for them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Random } from "@nearkin/core";
import { parseConfig, parseYaml } from "../config/parse.ts";
import { type Suggestion, suggestConfig } from "../init/suggest.ts";
import type { Manifest } from "../manifest.ts";
import { prepare } from "../prepare/prepare.ts";

type Rows = readonly (readonly (string | number | null)[])[];

export class InitWorld implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "nearkin-init-"));
  readonly #random = new Random(7);

  /** A whole number from `least` to `most`. */
  int(least: number, most: number): number {
    return least + Math.floor(this.#random.uniform() * (most - least + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)];
  }

  /** Events of some users with some items, each pair once, as [user, item] numbers from 0 in the order of users. */
  events(users: number, items: number, each = 12): [user: number, item: number][] {
    return Array.from({ length: users }, (_, user) => {
      const met = new Set<number>();
      while (met.size < Math.min(each, items)) met.add(this.int(0, items - 1));
      return [...met].map((item): [number, number] => [user, item]);
    }).flat();
  }

  /** Writes rows, with or without a header, between delimiters. */
  write(
    name: string,
    rows: Rows,
    { header = undefined as readonly string[] | undefined, delimiter = "," } = {},
  ): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    const all: Rows = header ? [header, ...rows] : rows;
    writeFileSync(path, all.map((row) => `${row.map((cell) => cell ?? "").join(delimiter)}\n`).join(""));
    return path;
  }

  jsonl(name: string, objects: readonly object[]): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, objects.map((object) => `${JSON.stringify(object)}\n`).join(""));
    return path;
  }

  suggest(...paths: string[]): Promise<Suggestion> {
    return suggestConfig(paths, { folder: this.folder });
  }

  /** Prepares what the text of a nearkin.yaml says, with the quick text encoder and without factors. */
  prepare(yaml: string, out: string): Promise<Manifest> {
    const config = parseYaml(yaml, "nearkin.yaml") as { channels: Record<string, { type: string }> };
    const channels = Object.fromEntries(
      Object.entries(config.channels).map(([name, channel]) => [
        name,
        channel.type === "text" ? { ...channel, encoder: "lsa", pca: 2 } : channel,
      ]),
    );
    return prepare(parseConfig({ ...config, channels, factors: { count: 0 } }), {
      folder: this.folder,
      out: join(this.folder, out),
      cache: join(this.folder, "cache"),
      threads: 1,
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const WORDS = ["lantern", "harbour", "moss", "orchard", "river", "winter", "garden", "letter", "stone", "bell"];

/** A title of its own for each number. */
export const titleOf = (i: number): string =>
  `The ${WORDS[i % 10]} of ${WORDS[(i >> 1) % 10]} ${WORDS[(i * 7) % 10]} ${i}`;
