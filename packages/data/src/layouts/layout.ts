// What a layout is, and what layouts ask of a folder.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { NearkinError } from "@nearkin/core";
import type { ConfigInput } from "../config/schema.ts";

/** Files that always look the same: a public dataset as it is unpacked. */
export interface Layout {
  /** What it is and which files tell it, in one line. */
  description: string;
  /** Whether the folder holds such files. Looks at names and first lines only. */
  detect(folder: string): boolean;
  /** The configuration for the folder, as it could stand in nearkin.yaml there. */
  config(folder: string): ConfigInput;
}

export type ChannelsInput = NonNullable<ConfigInput["channels"]>;

/** The first of some names that is a file of the folder, as it is or packed with gzip. */
export function firstFile(folder: string, ...names: string[]): string | undefined {
  return names.flatMap((name) => [name, `${name}.gz`]).find((name) => isFile(join(folder, name)));
}

/** The names of the folder's files, in code-unit order; none where it is not a folder. */
export function fileNames(folder: string): string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  return readdirSync(folder)
    .filter((name) => isFile(join(folder, name)))
    .sort();
}

const isFile = (path: string) => existsSync(path) && statSync(path).isFile();

/** The error of a layout whose files are not there. */
export function filesMissing(layout: string, folder: string, lookedFor: string): NearkinError {
  const found = fileNames(folder);
  const shown = found.slice(0, 12).join(", ") + (found.length > 12 ? ` and ${found.length - 12} more` : "");
  const state = existsSync(folder)
    ? found.length === 0
      ? "it holds no files"
      : `it holds ${shown}`
    : "it is not there";
  return new NearkinError("BAD_SOURCE", `layout ${layout}: ${folder} must hold ${lookedFor}; ${state}`);
}
