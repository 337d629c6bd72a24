// A graph on disk: usearch's own file, and beside it a card that says what it was built from. A graph is taken back only where the card fits word
// for word and the file has the hash on the card: anything else is built anew. Both are written under another name first and flushed to the disk, the card last.
import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FORMAT = 1;
const CARD = ".graph.json";
const GRAPH = ".usearch";
const OWN = /^[0-9a-f]{24}\.(?:usearch|graph\.json)(?:\.tmp)?$/;

/** What decides the graph, but for the rows. */
export interface GraphOrigin {
  /** Id of the model. */
  model: string;
  /** Rows [0, count) of the catalogue. */
  count: number;
  /** e_c */
  sizes: readonly number[];
  /** h of the base metric. */
  weights: readonly number[];
  scalar: string;
  connectivity: number;
  expansion: number;
}

interface GraphCard {
  format: number;
  origin: GraphOrigin;
  /** SHA-256 of the lifted rows. */
  rows: string;
  file: { bytes: number; sha256: string };
}

/** The card's path, and the path of the graph beside it. */
export function graphPaths(folder: string, { model, ...rest }: GraphOrigin): { card: string; graph: string } {
  const key = createHash("sha256")
    .update(JSON.stringify([FORMAT, model, rest]))
    .digest("hex")
    .slice(0, 24);
  return { card: join(folder, `${key}${CARD}`), graph: join(folder, `${key}${GRAPH}`) };
}

/** The graph's file, if its card fits; null where there is none; a reason where there is one of no use. */
export async function readGraphCard(
  folder: string,
  origin: GraphOrigin,
  rows: string,
): Promise<GraphCard["file"] | string | null> {
  let text: string;
  try {
    text = await readFile(graphPaths(folder, origin).card, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    return `its card cannot be read (${(error as Error).message})`;
  }
  const card = parseCard(text);
  if (!card) return "its card is damaged";
  if (card.format !== FORMAT || JSON.stringify(card.origin) !== JSON.stringify(origin))
    return "it is of another version";
  return card.rows === rows ? card.file : "the model's rows are others now";
}

function parseCard(text: string): GraphCard | null {
  try {
    const card = JSON.parse(text) as GraphCard;
    return typeof card?.file?.sha256 === "string" && typeof card.rows === "string" && card.origin ? card : null;
  } catch {
    return null;
  }
}

/** Keeps a graph: `write` writes it to the path it is given. */
export async function keepGraph(
  folder: string,
  origin: GraphOrigin,
  { rows, write }: { rows: string; write: (path: string) => Promise<{ bytes: number; sha256: string }> },
): Promise<{ path: string; bytes: number }> {
  const { card, graph } = graphPaths(folder, origin);
  await mkdir(folder, { recursive: true });
  const unfinished = [`${graph}.tmp`, `${card}.tmp`];
  try {
    const file = await write(unfinished[0]);
    const content: GraphCard = { format: FORMAT, origin, rows, file };
    await flush(unfinished[0]);
    await writeFile(unfinished[1], `${JSON.stringify(content, null, 1)}\n`, { flush: true });
    await rename(unfinished[0], graph);
    await rename(unfinished[1], card);
    return { path: graph, bytes: file.bytes };
  } catch (error) {
    for (const path of unfinished) await rm(path, { force: true });
    throw error;
  }
}

async function flush(path: string): Promise<void> {
  await using file = await open(path, "r+");
  await file.sync();
}

/** Removes the graphs of all models but these, and what was left half-written; returns the names. To be called while no graph is being kept. */
export async function removeGraphs(folder: string, { keep }: { keep: ReadonlySet<string> }): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const kept = new Set<string>();
  for (const name of names.filter((file) => file.endsWith(CARD))) {
    const card = parseCard(await readFile(join(folder, name), "utf8").catch(() => ""));
    if (card && keep.has(card.origin.model)) kept.add(name).add(name.replace(CARD, GRAPH));
  }
  const gone = names.filter((name) => OWN.test(name) && !kept.has(name));
  for (const name of gone) await rm(join(folder, name), { force: true });
  return gone;
}
