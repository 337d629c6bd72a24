// nearkin export: what a model knows, as a file for other programs.
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { type Model, NearkinError, type NeighbourBlock } from "@nearkin/core";
import { ParquetWriter } from "@nearkin/data";
import { Argument, Command, InvalidArgumentError } from "commander";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import { type MetricFlags, metricOptions, openAskedModel, simulatedLine, withMetricFlags } from "../model-flags.ts";
import type { Output } from "../output.ts";
import { duration, liveLine } from "../progress.ts";

interface ExportFlags extends EngineFlags, MetricFlags {
  k: number;
  out: string;
}

export function exportCommand(output: Output): Command {
  const command = new Command("export")
    .description("write what a model knows to a file: the neighbours of every item")
    .addArgument(new Argument("<what>", "what to write: neighbours").argParser(parseWhat))
    .argument("<model>", "the folder that nearkin train wrote")
    .requiredOption("--out <file>", "the file to write, .parquet or .jsonl; it is replaced when all is done")
    .option("--k <n>", "neighbours of each item", wholeNumber(1), 50);
  return withEngineFlags(withMetricFlags(command))
    .addHelpText(
      "after",
      `
Columns: target_item_id, item_id, score, rank (from 1). A score is −distance/T, T the temperature of training, plus what --popularity adds.
Scores are exact; equal ones are ordered by a hash of the id.

Examples:
  $ nearkin export neighbours models/films --out neighbours.parquet
  $ nearkin export neighbours models/films --k 20 --popularity calibrated --out neighbours.jsonl`,
    )
    .action((_: string, folder: string, flags: ExportFlags) => runExport(folder, flags, output));
}

async function runExport(folder: string, flags: ExportFlags, output: Output): Promise<void> {
  const kind = extname(flags.out).toLowerCase();
  if (kind !== ".parquet" && kind !== ".jsonl") {
    throw new NearkinError("BAD_ARGUMENT", `--out: expected a file that ends in .parquet or .jsonl, got ${flags.out}`);
  }
  if ((await stat(flags.out).catch(() => undefined))?.isDirectory()) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `--out: ${flags.out} is a folder; name a file that is not there yet, or one to replace`,
    );
  }
  await using engine = await openEngine(flags);
  await using model = await openAskedModel(folder, engine);
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once("SIGINT", interrupt);
  const started = performance.now();
  try {
    await using table = await openTable(flags.out, kind, model);
    const live = liveLine(output);
    const n = model.items.size;
    live.show(`neighbours of ${n.toLocaleString("en")} items …`);
    for (const block of model.neighbours({ k: flags.k, ...metricOptions(model, flags) })) {
      await table.append(block);
      await new Promise((turn) => setImmediate(turn)); // signals have their turn
      if (stop.signal.aborted) throw new InterruptedError();
      live.now(progress(block.first + block.count, n, (performance.now() - started) / 1000));
    }
    const rows = await table.finish();
    live.end(
      `${rows.toLocaleString("en")} rows, ${Math.min(flags.k, n - 1)} neighbours of ${n.toLocaleString("en")} items, in ${duration((performance.now() - started) / 1000)}`,
    );
    output.write(`${flags.out}\n`);
    output.log(simulatedLine(model));
  } finally {
    process.removeListener("SIGINT", interrupt);
  }
}

function parseWhat(text: string): string {
  if (text === "neighbours" || text === "neighbors") return "neighbours";
  throw new InvalidArgumentError("Allowed choices are neighbours.");
}

function progress(done: number, all: number, seconds: number): string {
  const left = (seconds / done) * (all - done);
  return `neighbours of ${done.toLocaleString("en")} of ${all.toLocaleString("en")} items, about ${duration(left)} left`;
}

/** Ctrl-C: nothing is written. */
class InterruptedError extends Error {
  readonly code = "INTERRUPTED";
  constructor() {
    super("stopped; nothing was written");
  }
}

/** A file that appears whole, or not at all. */
interface Table extends AsyncDisposable {
  append(block: NeighbourBlock): Promise<void>;
  /** Rows in all. */
  finish(): Promise<number>;
}

/** Whatever goes wrong in writing, a full disk above all, names the file. */
async function openTable(path: string, kind: ".parquet" | ".jsonl", model: Model): Promise<Table> {
  const naming = async <T>(write: () => Promise<T>): Promise<T> => {
    try {
      return await write();
    } catch (cause) {
      if (cause instanceof NearkinError) throw cause;
      throw new NearkinError("BAD_ARGUMENT", `--out: ${path} cannot be written: ${(cause as Error).message}`, {
        cause,
      });
    }
  };
  const table = await naming(() => (kind === ".parquet" ? openParquet(path, model) : openLines(path, model)));
  return {
    append: (block) => naming(() => table.append(block)),
    finish: () => naming(() => table.finish()),
    [Symbol.asyncDispose]: () => table[Symbol.asyncDispose](),
  };
}

async function openParquet(path: string, { items }: Model): Promise<Table> {
  const terms = items.ids.ids;
  const writer = await ParquetWriter.open(path, [
    { name: "target_item_id", type: "term", terms },
    { name: "item_id", type: "term", terms },
    { name: "score", type: "double" },
    { name: "rank", type: "integer" },
  ]);
  return {
    async append({ first, count, k, items: neighbours, scores }) {
      const targets = Int32Array.from({ length: count * k }, (_, i) => first + Math.floor(i / k));
      const ranks = Int32Array.from({ length: count * k }, (_, i) => 1 + (i % k));
      writer.append([targets, neighbours, scores, ranks]);
    },
    async finish() {
      await writer.finish();
      return writer.rows;
    },
    [Symbol.asyncDispose]: () => writer.close(),
  };
}

/** JSON, a line for each pair. */
async function openLines(path: string, { items }: Model): Promise<Table> {
  const target = resolve(path);
  const temporary = `${target}.${process.pid}.tmp`;
  await mkdir(dirname(target), { recursive: true });
  const file = await open(temporary, "w");
  const { ids } = items.ids;
  let rows = 0;
  return {
    async append({ first, count, k, items: neighbours, scores }) {
      const lines: string[] = [];
      for (let i = 0; i < count * k; i++) {
        const pair = { target_item_id: ids[first + Math.floor(i / k)], item_id: ids[neighbours[i]] };
        lines.push(`${JSON.stringify({ ...pair, score: scores[i], rank: 1 + (i % k) })}\n`);
      }
      rows += lines.length;
      await file.appendFile(lines.join(""));
    },
    async finish() {
      await file.sync();
      await file.close();
      await rename(temporary, target);
      return rows;
    },
    async [Symbol.asyncDispose]() {
      await file.close(); // once more does no harm
      await rm(temporary, { force: true });
    },
  };
}
