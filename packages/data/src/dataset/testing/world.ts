// Small invented worlds: files in a temporary folder, prepared in the usual way.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConfig } from "../../config/parse.ts";
import type { ConfigInput } from "../../config/schema.ts";
import { prepare } from "../../prepare/prepare.ts";

export interface World {
  /** Rows of interactions.csv, the header first. */
  interactions: string | readonly string[];
  /** Rows of items.csv; without it there is no item file. */
  items?: string | readonly string[];
  config?: Omit<ConfigInput, "interactions" | "items"> & {
    interactions?: Partial<ConfigInput["interactions"]>;
    items?: Partial<NonNullable<ConfigInput["items"]>>;
  };
  simulated?: boolean;
}

/** A temporary folder that is gone when the test is. */
export function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), "nearkin-dataset-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Writes the files of a world into `folder` and prepares `<folder>/<name>`; returns that path. */
export async function makeDataset(folder: string, name: string, world: World): Promise<string> {
  const { interactions, items, ...rest } = world.config ?? {};
  writeFileSync(join(folder, "interactions.csv"), text(world.interactions));
  if (world.items !== undefined) writeFileSync(join(folder, "items.csv"), text(world.items));
  const config = parseConfig({
    ...rest,
    simulated: world.simulated ?? false,
    interactions: { files: "interactions.csv", ...interactions },
    ...(world.items === undefined ? {} : { items: { files: "items.csv", ...items } }),
  });
  const out = join(folder, name);
  await prepare(config, { out, folder, threads: 1, force: true });
  return out;
}

const text = (rows: string | readonly string[]): string =>
  typeof rows === "string" ? `${rows.trim()}\n` : `${rows.join("\n")}\n`;
