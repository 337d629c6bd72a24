// nearkin export neighbours: what a model knows, as a file for other programs.
import type { Model, NeighbourBlock } from "@nearkin/core";
import { ParquetWriter } from "@nearkin/data";
import { Command } from "commander";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import { checkOut, naming, openTextFile, turnOf } from "../export/out-file.ts";
import { type MetricFlags, metricOptions, openAskedModel, simulatedLine, withMetricFlags } from "../model-flags.ts";
import type { Output } from "../output.ts";
import { duration, liveLine } from "../progress.ts";
import { StopSignals } from "../training-stop.ts";

interface NeighbourFlags extends EngineFlags, MetricFlags {
  k: number;
  out: string;
}

export function exportNeighboursCommand(output: Output): Command {
  const command = new Command("neighbours")
    .alias("neighbors")
    .description("what a model knows: the neighbours of every item")
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
    .action((folder: string, flags: NeighbourFlags) => runExport(folder, flags, output));
}

async function runExport(folder: string, flags: NeighbourFlags, output: Output): Promise<void> {
  const kind = await checkOut(flags.out, [".parquet", ".jsonl"]);
  await using engine = await openEngine(flags);
  await using model = await openAskedModel(folder, engine);
  using stop = new StopSignals();
  const started = performance.now();
  await using table = await openTable(flags.out, kind, model);
  const live = liveLine(output);
  const n = model.items.size;
  live.show(`neighbours of ${n.toLocaleString("en")} items …`);
  for (const block of model.neighbours({ k: flags.k, ...metricOptions(model, flags) })) {
    await table.append(block);
    await turnOf(stop);
    live.now(progress(block.first + block.count, n, (performance.now() - started) / 1000));
  }
  const rows = await table.finish();
  live.end(
    `${rows.toLocaleString("en")} rows, ${Math.min(flags.k, n - 1)} neighbours of ${n.toLocaleString("en")} items, in ${duration((performance.now() - started) / 1000)}`,
  );
  output.write(`${flags.out}\n`);
  output.log(simulatedLine(model));
}

function progress(done: number, all: number, seconds: number): string {
  const left = (seconds / done) * (all - done);
  return `neighbours of ${done.toLocaleString("en")} of ${all.toLocaleString("en")} items, about ${duration(left)} left`;
}

/** A file that appears whole, or not at all. */
interface Table extends AsyncDisposable {
  append(block: NeighbourBlock): Promise<void>;
  /** Rows in all. */
  finish(): Promise<number>;
}

async function openTable(path: string, kind: ".parquet" | ".jsonl", model: Model): Promise<Table> {
  const table = await naming(path, () => (kind === ".parquet" ? openParquet(path, model) : openLines(path, model)));
  return {
    append: (block) => naming(path, () => table.append(block)),
    finish: () => naming(path, () => table.finish()),
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
  const file = await openTextFile(path);
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
      await file.append(lines.join(""));
    },
    async finish() {
      await file.finish();
      return rows;
    },
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}
