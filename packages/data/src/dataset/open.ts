// Opens a dataset folder: reads dataset.json, checks that it is one of ours and that its files are there. Everything that reads a dataset
// starts here, so that a damaged or unfinished folder is named as such, and not found out by a strange number later on.
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { NearkinError } from "@nearkin/core";
import { datasetId, type FileEntry, hashEntry, type Manifest, manifestSchema } from "../manifest.ts";

export interface OpenDatasetOptions {
  /** Read every file, truth/ included, and compare its hash: takes as long as reading the disk does. @default false */
  verify?: boolean;
}

/** A dataset folder whose manifest and files were checked. */
export interface Dataset {
  /** As it was given. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** The path of a file, by its name in the manifest. Files of truth/ are refused: they are reached through `openTruth` only. */
  path(name: string): string;
}

const MANIFEST = "dataset.json";
const TRUTH = "truth/";
const SHOWN = 5; // problems listed in one message

export const isTruth = (name: string): boolean => name.startsWith(TRUTH);

/**
 * Opens a dataset folder; what is wrong with it is a `BAD_DATASET`. Without `verify`, files are checked for their sizes, and those of truth/
 * are not looked at: a folder without them can still be trained on.
 */
export async function openDataset(folder: string, { verify = false }: OpenDatasetOptions = {}): Promise<Dataset> {
  const manifest = readManifest(folder);
  if (datasetId(manifest) !== manifest.id) {
    throw badDataset(folder, "dataset.json was edited: its id does not belong to what it says");
  }
  checkFiles(
    folder,
    manifest.files.filter((file) => verify || !isTruth(file.name)),
  );
  if (verify) await checkHashes(folder, manifest.files);
  const names = new Set(manifest.files.map((file) => file.name));
  return {
    folder,
    manifest,
    path(name) {
      if (isTruth(name)) {
        throw new NearkinError("BAD_ARGUMENT", `${name}: truth/ is for evaluation and opened by openTruth only`);
      }
      if (!names.has(name)) throw badDataset(folder, `it has no file ${name}`);
      return join(folder, name);
    },
  };
}

/** Throws if one of `files` is missing or has another size. */
export function checkFiles(folder: string, files: readonly FileEntry[]): void {
  const problems: string[] = [];
  for (const { name, bytes } of files) {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    if (!found?.isFile()) problems.push(`${name} is missing`);
    else if (found.size !== bytes) {
      problems.push(`${name} has ${found.size.toLocaleString("en")} bytes instead of ${bytes.toLocaleString("en")}`);
    }
  }
  if (problems.length > 0) throw badDataset(folder, summary(problems));
}

async function checkHashes(folder: string, files: readonly FileEntry[]): Promise<void> {
  const problems: string[] = [];
  for (const { name, sha256 } of files) {
    const found = await hashEntry(join(folder, name), name);
    if (found.sha256 !== sha256) problems.push(`${name} was changed: its sha256 is ${found.sha256}, not ${sha256}`);
  }
  if (problems.length > 0) throw badDataset(folder, summary(problems));
}

function readManifest(folder: string): Manifest {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) throw new NearkinError("BAD_DATASET", `${folder}: there is no such folder${unfinished(folder)}`);
  if (!found.isDirectory()) {
    throw new NearkinError("BAD_DATASET", `${folder} is a file; expected the folder that nearkin prepare wrote`);
  }
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) {
    throw new NearkinError(
      "BAD_DATASET",
      `${folder} has no ${MANIFEST}, so it is no dataset${unfinished(folder) || "; expected the folder that nearkin prepare wrote"}`,
    );
  }
  return parseManifest(folder, readFileSync(path, "utf8"));
}

/** A run that was stopped leaves `<out>.partial`. */
function unfinished(folder: string): string {
  const plain = resolve(folder); // without a slash at the end
  const partial = basename(plain).endsWith(".partial") ? plain : `${plain}.partial`;
  if (!existsSync(partial)) return "";
  return `; ${basename(partial)} is an unfinished run: go on with nearkin prepare --resume`;
}

function parseManifest(folder: string, text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw badDataset(folder, `${MANIFEST} is not JSON (${(cause as Error).message})`, { cause });
  }
  const { format, version } = (value ?? {}) as { format?: unknown; version?: unknown };
  if (format !== "nearkin-dataset") {
    throw badDataset(folder, `${MANIFEST} has the format ${JSON.stringify(format)}, expected "nearkin-dataset"`);
  }
  if (version !== 1) {
    throw badDataset(folder, `it is of version ${JSON.stringify(version)}, and this program reads version 1`);
  }
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "the top level"}: ${issue.message}`);
    throw badDataset(folder, `${MANIFEST}: ${summary(problems)}`);
  }
  for (const { name } of parsed.data.files) {
    // A name is joined to the folder: it must not lead out of it.
    if (!/^[^\\:]+$/.test(name) || name.split("/").some((part) => part === "" || part === "." || part === "..")) {
      throw badDataset(folder, `${MANIFEST} lists ${JSON.stringify(name)}, which is no file of the folder`);
    }
  }
  return parsed.data;
}

/** What is wrong with a dataset, and what to do. */
export function badDataset(folder: string, problem: string, options?: ErrorOptions): NearkinError {
  return new NearkinError("BAD_DATASET", `${folder}: ${problem}; prepare it again, or copy it whole`, options);
}

function summary(problems: readonly string[]): string {
  const more = problems.length - SHOWN;
  return problems.slice(0, SHOWN).join("; ") + (more > 0 ? `; and ${more} more` : "");
}
