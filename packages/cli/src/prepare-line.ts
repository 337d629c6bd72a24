// The command that prepares a dataset again, as far as it is known where it came from.
import { type Dataset, shellWord } from "@nearkin/data";
import { readSource } from "./source-record.ts";

/** undefined for a dataset that came without its source. */
export function prepareLine({ folder, manifest }: Dataset): string | undefined {
  const record = readSource(folder);
  if (!record) return undefined;
  const { source, layout, flags } = record;
  const { by, fraction, fold } = (manifest.config.split ?? {}) as { by?: string; fraction?: number; fold?: number }; // from the command line or from the file: said in either case
  return [
    `nearkin prepare ${shellWord(source)}`,
    layout === null ? "" : `--layout ${layout}`,
    flags.seed === undefined ? "" : `--seed ${flags.seed}`,
    flags.encoder === undefined ? "" : `--encoder ${shellWord(flags.encoder)}`,
    by === undefined ? "" : `--split ${by}`,
    fold === undefined ? "" : `--fold ${fold}/${Math.round(1 / (fraction ?? 1))}`,
    `--out ${shellWord(folder)}`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}
