// The cluster that all of these tests run on, started once: a master and two workers, processes of this machine. Without Spark they are skipped.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    cluster: Cluster | null;
  }
}

export interface Cluster {
  /** spark://… */
  readonly master: string;
  /** Where Spark is. */
  readonly home: string;
  /** Logs, and the numbers of the processes in master.pid, worker1.pid and worker2.pid. */
  readonly folder: string;
}

/** Behind the title of a suite that is skipped without Spark. */
export const withoutSpark = " (skipped: no Spark here; pip install pyspark, and name its folder in NEARKIN_SPARK_HOME)";

/** Settings for small jobs: Java's optimizing compilers, garbage collector threads and web pages cost more than they gain. */
export const quickSettings = [
  "spark.ui.enabled=false",
  "spark.sql.shuffle.partitions=3",
  "spark.sql.codegen.wholeStage=false",
  "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
  "spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
  "spark.executor.memory=700m",
  "spark.driver.bindAddress=127.0.0.1",
  "spark.driver.host=127.0.0.1",
];

const script = fileURLToPath(new URL("../../scripts/spark.sh", import.meta.url));

/** `scripts/spark.sh …`: what it prints. */
export function sparkScript(...args: string[]): string {
  return execFileSync(script, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

export default function startCluster(project: TestProject): (() => void) | undefined {
  const home = findHome();
  project.provide("cluster", null);
  if (home === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "nearkin-cluster-"));
  const master = sparkScript("start", folder);
  project.provide("cluster", { master, home, folder });
  return () => {
    sparkScript("stop", folder);
    rmSync(folder, { recursive: true, force: true });
  };
}

function findHome(): string | undefined {
  try {
    return sparkScript("find");
  } catch {
    return undefined;
  }
}
