// Where the demo puts things, and whether what is there was made with the same settings.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NearkinError } from "@nearkin/core";
import type { TrainConfig } from "@nearkin/train";
import packageJson from "../../package.json" with { type: "json" };

export interface DemoFolders {
  readonly out: string;
  /** With films held out, to be measured on. */
  readonly dataset: string;
  /** The model that is served: of all data. */
  readonly model: string;
  /** The model of what was not held out, which the results are of; named as `nearkin train --final` does. */
  readonly split: string;
  readonly results: string;
  readonly store: string;
}

/** Makes the folder that all of it goes to. */
export function demoFolders(out: string): DemoFolders {
  try {
    mkdirSync(out, { recursive: true, mode: 0o700 }); // what its users do is written there
  } catch (cause) {
    throw new NearkinError("BAD_ARGUMENT", `${out}: cannot be written to: ${(cause as Error).message}`, { cause });
  }
  const at = (name: string) => join(out, name);
  return {
    out,
    dataset: at("dataset"),
    model: at("model"),
    split: at("model-split"),
    results: at("results"),
    store: at("users.db"),
  };
}

/** Forgets an earlier demo, with what its users did. */
export function clearDemo({ out, store, results }: DemoFolders): void {
  for (const path of [join(out, STATE), results, store, `${store}-wal`, `${store}-shm`]) {
    rmSync(path, { recursive: true, force: true });
  }
}

/** All that decides what the demo makes. */
export interface DemoSettings {
  readonly encoder: string | null;
  readonly engine: string;
  readonly config: TrainConfig;
  /** Whether the results and the model of all data are there too. */
  readonly whole: boolean;
}

const STATE = "demo.json";

interface State {
  readonly format: "nearkin-demo";
  readonly version: string;
  readonly settings: DemoSettings;
  /** Ids by folder. */
  readonly made: Readonly<Record<string, string>>;
}

/** Whether everything is there, made by this version with these settings; what is not whole is, where that is asked for, not enough. */
export function isMade(folders: DemoFolders, settings: DemoSettings): boolean {
  const state = readState(folders);
  if (state?.format !== "nearkin-demo" || state.version !== packageJson.version) return false;
  if (settings.whole && !state.settings.whole) return false;
  const same = JSON.stringify({ ...state.settings, whole: settings.whole }) === JSON.stringify(settings);
  return same && Object.entries(state.made).every(([folder, id]) => idOf(folders, folder) === id);
}

/** Notes what was made, when all of it is there. */
export function noteMade(folders: DemoFolders, settings: DemoSettings): void {
  const names = settings.whole ? ["dataset", "model", "model-split"] : ["dataset", "model"];
  const made = Object.fromEntries(names.map((name) => [name, idOf(folders, name) ?? ""]));
  const state: State = { format: "nearkin-demo", version: packageJson.version, settings, made };
  const path = join(folders.out, STATE);
  writeFileSync(`${path}.tmp`, `${JSON.stringify(state, null, 2)}\n`);
  renameSync(`${path}.tmp`, path);
}

function readState({ out }: DemoFolders): State | undefined {
  try {
    return JSON.parse(readFileSync(join(out, STATE), "utf8")) as State;
  } catch {
    return undefined; // there is none, or it broke off: all is made anew
  }
}

function idOf({ out }: DemoFolders, folder: string): string | undefined {
  const manifest = ["model.json", "dataset.json"].map((name) => join(out, folder, name)).find(existsSync);
  return manifest && (JSON.parse(readFileSync(manifest, "utf8")) as { id?: string }).id;
}
