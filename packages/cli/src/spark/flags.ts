// Options of commands that can run on Spark: which cluster, and none of them without it.
import { NearkinError } from "@nearkin/core";
import type { Command } from "commander";

export interface ClusterFlags {
  master?: string;
  conf?: string[];
}

export function withClusterFlags(command: Command): Command {
  return command
    .option(
      "--master <url>",
      "with spark: local[2], spark://host:7077, yarn, k8s://… (default: as Spark is configured)",
    )
    .option("--conf <key=value>", "with spark: a setting of Spark's; may be given again", collected);
}

const collected = (value: string, before: string[] = []): string[] => [...before, value];

/** What would be of no effect is a mistake. */
export function refuseFlags<T extends object>(flags: T, names: readonly (keyof T & string)[]): void {
  const given = names.find((name) => flags[name] !== undefined);
  if (given === undefined) return;
  const flag = `--${given.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new NearkinError("BAD_ARGUMENT", `${flag} is for --engine spark; add it, or leave ${flag} out`);
}
