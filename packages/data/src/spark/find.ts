// Which Spark there is: SPARK_HOME, the one on the PATH, or the `pyspark` package of Python. Nothing of it is installed or started here.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { NearkinError } from "@nearkin/core";

export interface Spark {
  /** The folder with bin/spark-sql. */
  readonly home: string;
  readonly version: string;
  /** What it is started with. */
  readonly env: NodeJS.ProcessEnv;
}

/** Spark 4 is the first with functions written in SQL, which the steps are built on. */
const LEAST = 4;

const ADVICE =
  "install Spark 4 or later and set SPARK_HOME, put its bin folder on the PATH, or run: pip install pyspark";

/** Finds Spark, and checks that its version and Java are of use. */
export async function findSpark(env: NodeJS.ProcessEnv = process.env): Promise<Spark> {
  const home = homeOf(env) ?? onPath(env) ?? (await inPython(env));
  if (home === undefined) throw unavailable(`there is no Spark here: ${ADVICE}`);
  const version = versionOf(home);
  if (Number.parseInt(version, 10) < LEAST) {
    throw unavailable(`Spark ${version} (${home}) is too old: Nearkin needs ${LEAST}.0 or later; ${ADVICE}`);
  }
  if (!hasJava(env)) {
    throw unavailable("Spark needs Java, and there is none: install Java 17 or later, or set JAVA_HOME");
  }
  return { home, version, env: { ...env, SPARK_HOME: home } };
}

function homeOf({ SPARK_HOME: home }: NodeJS.ProcessEnv): string | undefined {
  if (!home) return undefined;
  if (existsSync(join(home, "bin", "spark-sql"))) return home;
  throw unavailable(`SPARK_HOME is ${home}, but there is no bin/spark-sql in it; ${ADVICE}`);
}

function onPath(env: NodeJS.ProcessEnv): string | undefined {
  const found = inFolders(env, "spark-sql");
  if (found === undefined) return undefined;
  const home = dirname(dirname(realpathSync(found)));
  return existsSync(join(home, "jars")) ? home : undefined; // pip puts a script beside python, far from the rest
}

async function inPython(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const where = "import importlib.util as u; print(u.find_spec('pyspark').submodule_search_locations[0])";
  try {
    const { stdout } = await promisify(execFile)("python3", ["-c", where], { env });
    return existsSync(join(stdout.trim(), "bin", "spark-sql")) ? stdout.trim() : undefined;
  } catch {
    return undefined; // no Python, or no pyspark in it
  }
}

/** By the name of its jar: to ask Spark itself takes a Java machine and seconds. */
function versionOf(home: string): string {
  const jars = join(home, "jars");
  const names = existsSync(jars) ? readdirSync(jars) : [];
  const version = names.map((name) => /^spark-core_[\d.]+-(\d+\.\d.*)\.jar$/.exec(name)?.[1]).find(Boolean);
  if (version === undefined) throw unavailable(`${home} holds no whole Spark: there is no jars/spark-core; ${ADVICE}`);
  return version;
}

function hasJava(env: NodeJS.ProcessEnv): boolean {
  return env.JAVA_HOME ? existsSync(join(env.JAVA_HOME, "bin", "java")) : inFolders(env, "java") !== undefined;
}

function inFolders({ PATH = "" }: NodeJS.ProcessEnv, name: string): string | undefined {
  return PATH.split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

function unavailable(message: string): NearkinError {
  return new NearkinError("ENGINE_UNAVAILABLE", message);
}
