// dataset.json: what a dataset folder holds, where it comes from, and the hash of every file. No times, no absolute paths: the same input and
// configuration give the same bytes.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { z } from "zod";

const count = z.int().min(0);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const fileHash = z.strictObject({ name: z.string(), bytes: count, sha256: hash });

const channel = z.strictObject({
  type: z.string(),
  /** Items with a value, of all and of those in training. */
  present: count,
  trainingPresent: count,
  /** Occurrences of categories, or texts, that training does not know: ignored, and counted here. */
  unknown: count,
  /** Cells that could not be read: missing, and listed in rejects.parquet. */
  unreadable: count,
  /** The fitted transform; its arrays are in transforms.safetensors under the channel's name. */
  transform: z.record(z.string(), z.unknown()),
});

export const manifestSchema = z.strictObject({
  format: z.literal("nearkin-dataset"),
  version: z.literal(1),
  name: z.string(),
  /** sha256 of everything else here, the hashes of all files included: the dataset's identity. */
  id: hash,
  /** Set where users and ratings are made up; shown wherever the data are. */
  simulated: z.boolean(),
  /** Versions that wrote it. */
  tools: z.record(z.string(), z.string()),
  inputs: z.array(fileHash),
  /** The configuration with all defaults filled in. */
  config: z.record(z.string(), z.unknown()),
  /** Which column was used for what. */
  columns: z.strictObject({
    interactions: z.strictObject({
      user: z.string(),
      item: z.string(),
      rating: z.string().nullable(),
      time: z.string().nullable(),
    }),
    items: z.strictObject({ item: z.string(), title: z.string().nullable(), fields: z.array(z.string()) }).nullable(),
  }),
  counts: z.strictObject({
    interactionRows: count,
    rejectedInteractionRows: count,
    itemRows: count,
    rejectedItemRows: count,
    duplicates: count,
    users: count,
    items: count,
    describedItems: count,
    interactions: count,
    training: z.strictObject({ interactions: count, users: count, items: count, pairs: count, factors: count }),
    roles: z.strictObject({ train: count, validation: count, test: count, unseen: count }),
    userRoles: z.strictObject({ train: count, validation: count, test: count }),
  }),
  /** Seconds since 1970, or row numbers where there are no times. */
  time: z.strictObject({
    kind: z.enum(["seconds", "file order"]),
    trainingFrom: z.number().nullable(),
    trainingTo: z.number().nullable(),
    /** T: events at or after it are in truth/ only. null where nothing is cut by time. */
    cut: z.number().nullable(),
  }),
  ratings: z.strictObject({
    kind: z.enum(["explicit", "implicit"]),
    mean: z.number(),
    least: z.number(),
    most: z.number(),
  }),
  channels: z.record(z.string(), channel),
  notes: z.array(z.string()),
  files: z.array(fileHash),
});

export type Manifest = z.output<typeof manifestSchema>;
export type FileEntry = z.output<typeof fileHash>;

/** Hashes a file of the dataset. */
export async function hashEntry(path: string, name: string): Promise<FileEntry> {
  const digest = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    digest.update(chunk as Uint8Array);
    bytes += (chunk as Uint8Array).byteLength;
  }
  return { name, bytes, sha256: digest.digest("hex") };
}

/** The dataset's identity: a hash of the whole manifest but the id itself, and so of every file. */
export function datasetId(manifest: Omit<Manifest, "id">): string {
  const { id: _, ...rest } = manifest as Manifest;
  return createHash("sha256").update(canonicalJson(rest)).digest("hex");
}

/** JSON with sorted keys: the order in which a file was read back does not matter. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`)
    .join(",")}}`;
}
