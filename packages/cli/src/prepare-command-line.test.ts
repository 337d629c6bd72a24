import { expect, test } from "vitest";
import { type PrepareFlags, prepareCommandLine } from "./prepare-command-line.ts";

test("says everything that was asked for, as a shell takes it", () => {
  const flags: PrepareFlags = {
    layout: "movielens",
    split: "random",
    fold: { k: 2, of: 5 },
    seed: 0,
    encoder: "hf:my model",
    threads: 2,
    memory: 512e6,
    tables: "disk",
    engine: "spark",
    master: "spark://host:7077",
    conf: ["spark.executor.memory=4g", "spark.hadoop.fs.s3a.secret.key=it's"],
    storage: "s3a://bucket/films",
    force: true,
  };
  expect(prepareCommandLine("my films", flags, ["--out", "data sets"])).toBe(
    "nearkin prepare 'my films' --layout movielens --split random --fold 2/5 --seed 0 --encoder 'hf:my model' --threads 2 --memory 512MB " +
      "--tables disk --engine spark --master spark://host:7077 --conf spark.executor.memory=4g --conf 'spark.hadoop.fs.s3a.secret.key=it'\\''s' " +
      "--storage s3a://bucket/films --force --out 'data sets'",
  );
  expect(prepareCommandLine("nearkin.yaml", { engine: "duckdb" }, [])).toBe("nearkin prepare nearkin.yaml");
});
