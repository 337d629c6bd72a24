// Where and when a report is made: the only part of it that differs between two runs on the same inputs.
import { arch, cpus, platform, release } from "node:os";
import type { Engine } from "@nearkin/core";
import type { ReportEnvironment } from "@nearkin/evaluate";
import packageJson from "../package.json" with { type: "json" };

export function environmentOf({ info }: Engine): ReportEnvironment {
  const [processor] = cpus();
  return {
    Written: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    Nearkin: packageJson.version,
    Node: process.version,
    System: `${platform()} ${release()}, ${arch()}`,
    Processor: `${processor?.model ?? "unknown"}, ${cpus().length} threads`,
    Engine: `${info.kind}, ${info.workers} ${info.workers === 1 ? "thread" : "threads"}${info.library ? `, ${info.library}` : ""}`,
  };
}
