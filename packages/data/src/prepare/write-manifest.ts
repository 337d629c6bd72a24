// The last files of a dataset: transforms.safetensors, which gathers the channels' transforms, and dataset.json.
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { decodeSafetensors, encodeSafetensors, type Tensor } from "@nearkin/core";
import type { Config } from "../config/schema.ts";
import { datasetId, type FileEntry, hashEntry, type Manifest, manifestSchema } from "../manifest.ts";
import { isUrl } from "../sources/files.ts";
import type { Sources } from "./read.ts";
import type { Outcome } from "./steps.ts";
import { describeColumns, summarise } from "./summary.ts";
import type { WorkFolder } from "./work.ts";
import { writeBytes } from "./write.ts";
import { transformFile } from "./write-channel.ts";

export interface ManifestFacts {
  config: Config;
  sources: Sources;
  /** Versions of what decides the bytes. */
  tools: Record<string, string>;
  inputs: FileEntry[];
  outcome: Outcome;
}

export async function writeManifest(work: WorkFolder, facts: ManifestFacts): Promise<Manifest> {
  const { config, sources, tools, inputs, outcome } = facts;
  gatherTransforms(work, [...outcome.channels.keys()]);
  const files: FileEntry[] = [];
  for (const name of work.files()) {
    if (name !== "dataset.json") files.push(await hashEntry(work.path(name), name)); // there after a kill at the very end
  }
  const summary = await summarise(work.database, sources, config, outcome);
  const described: Omit<Manifest, "id"> = {
    format: "nearkin-dataset",
    version: 1,
    name: config.name ?? basename(work.out),
    simulated: config.simulated,
    tools,
    inputs,
    config,
    columns: describeColumns(sources),
    ...summary,
    channels: Object.fromEntries([...outcome.channels].map(([name, { entry }]) => [name, entry])),
    notes: [...notesOf(config, sources, outcome), ...splitNotes(config, summary.counts)],
    files,
  };
  const manifest = manifestSchema.parse({ ...described, id: datasetId(described) }); // what we write, we must be able to read
  writeFileSync(work.path("dataset.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

function gatherTransforms(work: WorkFolder, channels: readonly string[]): void {
  const tensors: Record<string, Tensor> = {};
  for (const name of channels) {
    const own = decodeSafetensors(readFileSync(work.scratch(transformFile(name)))).tensors;
    Object.assign(tensors, Object.fromEntries(own));
  }
  writeBytes(work.path("transforms.safetensors"), encodeSafetensors(tensors));
}

/** What the user should know of how the data were read. */
function notesOf(config: Config, { interactions }: Sources, { channels }: Outcome): string[] {
  const { rating, time } = interactions.columns;
  const { files } = interactions.relation;
  return [
    ...(isUrl([config.interactions.files].flat()[0])
      ? [
          `the interactions, ${files.length} ${files.length === 1 ? "file" : "files"} at a URL, were read by Spark and are not hashed`,
        ]
      : []),
    ...(rating === undefined ? ["there is no rating column: every interaction counts as 1 (implicit)"] : []),
    ...(time === undefined ? ["there is no time column: the order of the rows is taken as the order in time"] : []),
    ...[...channels.values()].flatMap((channel) => channel.notes),
  ];
}

/** A split that finds nothing to hold out leaves nothing to evaluate by. */
function splitNotes({ split }: Config, { roles, userRoles }: Manifest["counts"]): string[] {
  if (split.by === "none" || roles.test + userRoles.test > 0) return [];
  const [least, most] = split.userEvents;
  return [
    split.by === "users"
      ? `the split holds out no test user: nobody has from ${least} to ${most} interactions (split.userEvents)`
      : `the split holds out no test item: ${Number((100 * split.fraction).toPrecision(6))} % of so few items is less than one (split.fraction)`,
  ];
}
