// Which Spark is taken, and what is said where there is none of use. The folders here only look like Spark; test/spark runs the real one.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findSpark } from "./find.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-spark-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(path: string): string {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, 0o755);
  return path;
}

function sparkAt(name: string, version: string | undefined): string {
  const home = join(folder, name);
  program(join(home, "bin/spark-sql"));
  mkdirSync(join(home, "jars"));
  if (version) writeFileSync(join(home, "jars", `spark-core_2.13-${version}.jar`), "");
  return home;
}

/** A machine with Java, and nothing else on its path. */
const bare = () => ({ PATH: join(folder, "bin"), JAVA_HOME: java() });
const java = () => join(program(join(folder, "java/bin/java")), "../..");

test("SPARK_HOME comes first, then the path", async () => {
  const [first, second] = [sparkAt("first", "4.0.5"), sparkAt("second", "4.2.0")];
  mkdirSync(join(folder, "bin"));
  symlinkSync(join(second, "bin/spark-sql"), join(folder, "bin/spark-sql"));
  expect(await findSpark({ ...bare(), SPARK_HOME: first })).toMatchObject({ home: first, version: "4.0.5" });
  expect(await findSpark(bare())).toMatchObject({ version: "4.2.0", env: { SPARK_HOME: second } });
});

test("none at all: what to do", async () => {
  await expect(findSpark(bare())).rejects.toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: there is no Spark here: install Spark 4 or later and set SPARK_HOME, put its bin folder on the PATH, or run: pip install pyspark]`,
  );
});

test.each([
  ["too old", "3.5.8", /^Spark 3\.5\.8 \(.*\) is too old: Nearkin needs 4\.0 or later; /],
  ["not whole", undefined, /holds no whole Spark: there is no jars\/spark-core/],
])("%s is refused", async (_, version, message) => {
  const env = { ...bare(), SPARK_HOME: sparkAt("spark", version) };
  await expect(findSpark(env)).rejects.toMatchObject({
    code: "ENGINE_UNAVAILABLE",
    message: expect.stringMatching(message),
  });
});

test("SPARK_HOME that names something else is not passed over", async () => {
  await expect(findSpark({ ...bare(), SPARK_HOME: folder })).rejects.toThrow(
    /SPARK_HOME is .*, but there is no bin\/spark-sql/,
  );
});

test("without Java", async () => {
  const env = { PATH: join(folder, "bin"), SPARK_HOME: sparkAt("spark", "4.0.5") };
  await expect(findSpark(env)).rejects.toThrow("Spark needs Java, and there is none: install Java 17 or later");
});
