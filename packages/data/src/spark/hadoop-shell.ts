// Files to and from a URL that only Spark reaches: by Hadoop's own shell, which comes with Spark. It is given what Spark itself is configured with,
// and that is asked of Spark: its defaults, credentials, and file systems that come as packages.
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { NearkinError } from "@nearkin/core";
import { noFileSystem } from "./failure.ts";
import type { Spark } from "./find.ts";

interface ShellOptions {
  /** key=value, as for Spark. */
  conf: readonly string[];
  /** A folder of this machine for the settings; they may be secrets, and are read by nobody else. */
  folder: string;
}

/** Runs one command after the other: `["-mkdir", "-p", url]`. */
export type HadoopShell = (args: readonly string[]) => Promise<void>;

export async function openHadoopShell(spark: Spark, { conf, folder }: ShellOptions): Promise<HadoopShell> {
  const settings = await sparkSettings(spark, conf);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "core-site.xml");
  writeFileSync(file, hadoopXml(settings), { mode: 0o600 });
  const env = {
    ...spark.env,
    HADOOP_CONF_DIR: spark.env.HADOOP_CONF_DIR ?? folder, // the shell wants a core-site.xml, whosever it is
    SPARK_DIST_CLASSPATH: [spark.env.SPARK_DIST_CLASSPATH, ...jarsOf(settings)].filter(Boolean).join(delimiter),
  };
  return async (args) => {
    await runProgram(spark, ["spark-class", "org.apache.hadoop.fs.FsShell", "-conf", file, ...args], env);
  };
}

/** Everything that Spark would be configured with, by its own word; nothing is kept from us. */
async function sparkSettings(spark: Spark, conf: readonly string[]): Promise<Map<string, string>> {
  const open = [...conf, "spark.redaction.regex=(?!)", "spark.sql.catalogImplementation=in-memory"];
  const flags = ["--master", "local[1]", ...open.flatMap((setting) => ["--conf", setting])];
  const { stdout } = await runProgram(spark, ["spark-sql", ...flags, "-e", "SET"], spark.env);
  return new Map(Array.from(stdout.matchAll(/^(spark\.[^\t\n]+)\t(.*)$/gm), ([, key, value]) => [key, value]));
}

/** Those of spark.jars and spark.jars.packages, which Spark has brought to this machine. */
function jarsOf(settings: ReadonlyMap<string, string>): string[] {
  const jars = (settings.get("spark.repl.local.jars") ?? settings.get("spark.jars") ?? "").split(",");
  return [
    ...(settings.get("spark.driver.extraClassPath")?.split(delimiter) ?? []),
    ...jars.filter((jar) => jar.startsWith("file:")).map((jar) => fileURLToPath(jar)),
  ];
}

function hadoopXml(settings: ReadonlyMap<string, string>): string {
  const xml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const properties = [...settings].flatMap(([key, value]) => {
    const name = /^spark\.hadoop\.(.+)$/.exec(key)?.[1];
    return name === undefined ? [] : `<property><name>${xml(name)}</name><value>${xml(value)}</value></property>\n`;
  });
  return `<configuration>\n${properties.join("")}</configuration>\n`;
}

async function runProgram(spark: Spark, [program, ...args]: readonly string[], env: NodeJS.ProcessEnv) {
  try {
    return await promisify(execFile)(join(spark.home, "bin", program), args, { env, maxBuffer: 1 << 26 });
  } catch (cause) {
    const { stderr = "", message } = cause as { stderr?: string } & Error;
    const lines = stderr.split("\n");
    const missing = lines.map((line) => noFileSystem(line)).find((found) => found !== undefined);
    const said = missing ?? lines.findLast((line) => /^-?\w+: |Exception/.test(line)) ?? message;
    throw new NearkinError("BAD_ARGUMENT", said.trim(), { cause });
  }
}
