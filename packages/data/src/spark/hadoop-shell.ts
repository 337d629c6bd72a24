// Files to and from a URL that only Spark reaches: by Hadoop's own shell, which comes with Spark. It is given what Spark itself is configured with,
// and that is asked of Spark: its defaults, credentials, and file systems that come as packages.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { NearkinError } from "@nearkin/core";
import { noFileSystem } from "./failure.ts";
import type { Spark } from "./find.ts";
import { startGuarded } from "./guarded.ts";

export interface ShellUser {
  spark: Spark;
  signal?: AbortSignal | undefined;
}

interface ShellOptions {
  /** key=value, as for Spark. */
  conf: readonly string[];
  /** A folder of this machine for the settings; they may be secrets, and are read by nobody else. */
  folder: string;
}

/** Runs a command: `["-mkdir", "-p", url]`. Files of this machine are best named by an address too: the shell takes a path for one. */
export type HadoopShell = (args: readonly string[]) => Promise<void>;

export async function openHadoopShell(by: ShellUser, { conf, folder }: ShellOptions): Promise<HadoopShell> {
  const settings = await sparkSettings(by, conf);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "core-site.xml");
  writeFileSync(file, hadoopXml(settings), { mode: 0o600 });
  const { env } = by.spark;
  const own = {
    HADOOP_CONF_DIR: env.HADOOP_CONF_DIR ?? folder, // the shell wants a core-site.xml, whosever it is
    SPARK_DIST_CLASSPATH: [env.SPARK_DIST_CLASSPATH, ...jarsOf(settings)].filter(Boolean).join(delimiter),
  };
  return async (args) => {
    await runProgram(by, ["spark-class", "org.apache.hadoop.fs.FsShell", "-conf", file, ...args], own);
  };
}

/** Spark shows settings without what might be secret; here nothing is. */
const UNREDACTED = ["spark.redaction.regex=(?!)", "spark.sql.redaction.options.regex=(?!)"];

/** Everything that Spark would be configured with, by its own word. */
async function sparkSettings(by: ShellUser, conf: readonly string[]): Promise<Map<string, string>> {
  const open = [...conf, ...UNREDACTED, "spark.sql.catalogImplementation=in-memory"];
  const flags = ["--master", "local[1]", ...open.flatMap((setting) => ["--conf", setting])];
  const said = await runProgram(by, ["spark-sql", ...flags, "-e", "SET"]);
  return new Map(
    Array.from(said.matchAll(/^(spark\.[^\t\n\r\u2028\u2029]+)\t(.*)$/gm), ([, key, value]) => [key, value]),
  );
}

/** Those of spark.jars and spark.jars.packages, which Spark has brought to this machine. */
function jarsOf(settings: ReadonlyMap<string, string>): string[] {
  const jars = (settings.get("spark.repl.local.jars") ?? settings.get("spark.jars") ?? "").split(",").filter(Boolean);
  return [...(settings.get("spark.driver.extraClassPath")?.split(delimiter) ?? []), ...jars.map(pathOfJar)];
}

function pathOfJar(jar: string): string {
  const path = jar.startsWith("file:") ? fileURLToPath(jar) : jar.replace(/^local:/, "");
  if (existsSync(path)) return path;
  throw new NearkinError(
    "BAD_ARGUMENT",
    `${jar} is not on this machine: name a copy that is in --conf spark.jars=…, or its package in --conf spark.jars.packages=…`,
  );
}

function hadoopXml(settings: ReadonlyMap<string, string>): string {
  const xml = (value: string) => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const properties = [...settings].flatMap(([key, value]) => {
    const name = /^spark\.hadoop\.(.+)$/.exec(key)?.[1];
    return name === undefined ? [] : `<property><name>${xml(name)}</name><value>${xml(value)}</value></property>\n`;
  });
  return `<configuration>\n${properties.join("")}</configuration>\n`;
}

/** What one of Spark's programs says. */
async function runProgram(
  { spark, signal }: ShellUser,
  [program, ...args]: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  using child = startGuarded([join(spark.home, "bin", program), ...args], { env: { ...spark.env, ...env }, signal });
  const [code, said, log] = await Promise.all([child.ended, text(child.stdout), text(child.stderr)]);
  if (code === 0) return said;
  const lines = log.split("\n").filter((line) => !line.startsWith("WARNING: "));
  const missing = lines.map(noFileSystem).find((sentence) => sentence !== undefined);
  const reason =
    missing ?? lines.findLast((line) => /^-?\w+: |Exception/.test(line)) ?? `${program} ended with ${code}`;
  throw new NearkinError("BAD_ARGUMENT", reason.trim());
}
