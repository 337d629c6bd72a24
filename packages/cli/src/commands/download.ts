// Fetches a public dataset by its name, checks it and unpacks it; says which command comes next.
import { basename, resolve } from "node:path";
import {
  type DownloadProgress,
  type DownloadResult,
  datasets,
  downloadDataset,
  findDataset,
  howToPrepare,
  shellWord,
} from "@nearkin/data";
import { Argument, Command, InvalidArgumentError } from "commander";
import type { Output } from "../output.ts";
import { liveLine } from "../progress.ts";

interface DownloadFlags {
  out?: string;
  list?: boolean;
  keepArchive?: boolean;
  /** Print one JSON document instead of sentences. */
  json?: boolean;
}

export function downloadCommand(output: Output): Command {
  return new Command("download")
    .description("fetch a public dataset, check it and unpack it")
    .addArgument(new Argument("[name]", "the dataset; see --list").argParser(knownName))
    .option("--out <folder>", "where the files go (default: a folder of the dataset's name, here)")
    .option("--list", "print the datasets there are")
    .option("--keep-archive", "keep the archive beside the folder")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
A download that stopped goes on where it was when the same command is run again.

Examples:
  $ nearkin download --list
  $ nearkin download movielens-latest-small
  $ nearkin download movielens-25m --out data/films

Environment:
  NEARKIN_MIRROR=https://…      folder to fetch the archives from, instead of their publisher's`,
    )
    .action(async (name: string | undefined, flags: DownloadFlags, command: Command) => {
      if (flags.list) return list(flags, output);
      if (name === undefined) return command.error("error: missing argument 'name': which dataset? See --list.");
      return runDownload(name, flags, output);
    });
}

function knownName(name: string): string {
  try {
    return findDataset(name).name;
  } catch {
    throw new InvalidArgumentError(`Known are ${datasets.map((dataset) => dataset.name).join(", ")}.`);
  }
}

async function runDownload(name: string, flags: DownloadFlags, output: Output): Promise<void> {
  const progress = showProgress(output);
  const mirror = process.env.NEARKIN_MIRROR; // set but empty is not set
  try {
    const result = await downloadDataset(name, {
      ...(flags.out !== undefined && { folder: flags.out }),
      ...(mirror && { baseUrl: mirror }),
      keepArchive: flags.keepArchive === true,
      onProgress: progress.show,
    });
    progress.stop();
    output.write(flags.json ? `${JSON.stringify(summary(result), null, 2)}\n` : sentences(result));
  } catch (error) {
    progress.stop();
    throw error;
  }
}

function nextCommand({ dataset, folder }: DownloadResult): string {
  return `${howToPrepare(dataset, folder)} --out ${shellWord(`datasets/${basename(resolve(folder))}`)}`;
}

function summary(result: DownloadResult): object {
  const { dataset, folder, url, md5, files, alreadyThere, archive } = result;
  const { title, layout, licence, licenceUrl } = dataset;
  const terms = { licence, licenceUrl };
  const next = nextCommand(result);
  return { name: dataset.name, title, folder, url, md5, alreadyThere, archive, layout, ...terms, files, next };
}

function sentences(result: DownloadResult): string {
  const { dataset, folder, files, md5, alreadyThere, archive } = result;
  const total = size(files.reduce((sum, file) => sum + file.bytes, 0));
  const count = files.length === 1 ? "1 file" : `${files.length} files`;
  const lines = [
    `${dataset.title} is ${alreadyThere ? "already there: " : "in "}${folder} (${count}, ${total}; archive md5 ${md5})`,
    ...(archive === undefined ? [] : [`Archive: ${archive}`]),
    `Licence: ${dataset.licence}; ${dataset.licenceUrl}`,
    `Next:    ${nextCommand(result)}`,
  ];
  return `${lines.join("\n")}\n`;
}

function list(flags: DownloadFlags, output: Output): void {
  if (flags.json) {
    output.write(`${JSON.stringify({ datasets }, null, 2)}\n`);
    return;
  }
  const rows = [["name", "download", "layout", "licence"]];
  for (const dataset of datasets) {
    const bytes = dataset.access === "public" ? size(dataset.bytes) : "by hand";
    rows.push([dataset.name, bytes, dataset.layout, `${dataset.licence}; ${dataset.licenceUrl}`]);
  }
  const widths = rows[0].map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  for (const [name, bytes, layout, licence] of rows) {
    const cells = [name.padEnd(widths[0]), bytes.padStart(widths[1]), layout.padEnd(widths[2]), licence];
    output.write(`${cells.join("  ")}\n`);
  }
}

const VERBS = { fetch: "fetching", unpack: "unpacking" } as const;

/** Progress, stage by stage; `stop` closes a line that is still open. */
function showProgress(output: Output): { show: (progress: DownloadProgress) => void; stop: () => void } {
  const line = liveLine(output);
  let stage: DownloadProgress["stage"] | undefined;
  let open: string | undefined;
  const stop = () => {
    if (open !== undefined) line.end(open);
    open = undefined;
  };
  const show = ({ stage: now, bytes, total }: DownloadProgress) => {
    if (now !== stage) stop();
    stage = now;
    const of = total === undefined ? "" : ` of ${size(total)} (${Math.floor((100 * bytes) / Math.max(total, 1))} %)`;
    open = `${VERBS[now]}: ${size(bytes)}${of}`;
    if (bytes === total) stop();
    else line.now(open);
  };
  return { show, stop };
}

/** Bytes for people. */
function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const unit = Math.min(Math.floor(Math.log10(bytes) / 3), 3);
  const value = bytes / 1000 ** unit;
  return `${value.toFixed(value < 10 && unit > 1 ? 1 : 0)} ${["B", "kB", "MB", "GB"][unit]}`;
}
