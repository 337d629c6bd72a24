// One contender of the prepare suite in a process of its own, so that its memory is its own:  prepare-peer.ts <what> <csv> <out>
import { rmSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
import { loadTraining, openDataset, parseConfig, prepare } from "@nearkin/data";

const [what, csv, out] = process.argv.slice(2);
const steps: Record<string, number> = {};
let rows = 0;
const started = performance.now();
if (what === "duckdb") {
  // What any preparation has to do at least: import the file and sort it by user and time, with DuckDB's own types and defaults.
  rmSync(out, { force: true });
  const instance = await DuckDBInstance.create(out);
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE ratings AS SELECT * FROM read_csv('${csv}') ORDER BY userId, timestamp, movieId`);
  connection.closeSync();
  instance.closeSync();
} else if (what === "prepare") {
  const config = parseConfig({
    interactions: { files: csv },
    items: { files: `${csv}.items.csv` },
    channels: {
      genres: { type: "categories", column: "genres" },
      title: { type: "text", column: "title", encoder: "lsa" },
      year: { type: "number", column: "year" },
    },
  });
  const manifest = await prepare(config, {
    out,
    force: true,
    onEvent: (event) => {
      if (event.type === "done") steps[event.name] = Number(event.seconds.toFixed(2));
    },
  });
  rows = manifest.counts.training.interactions;
} else {
  const dataset = await openDataset(out);
  const { histories, pairs } = await loadTraining(dataset);
  rows = histories.items.length + pairs.anchor.length;
}
const seconds = (performance.now() - started) / 1000;
const { maxRSS } = process.resourceUsage(); // kB
process.stdout.write(`${JSON.stringify({ seconds, rows, peakRss: maxRSS * 1024, steps })}\n`);
