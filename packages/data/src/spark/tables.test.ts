import { describe, expect, test } from "vitest";
import { parseConfig } from "../config/parse.ts";
import { Database } from "../database.ts";
import { checkMadeFor } from "./made-for.ts";
import { planSpark, type SparkOptions } from "./tables.ts";

const config = parseConfig({
  interactions: {
    files: "s3a://bucket/events.parquet",
    columns: { user: "user", item: "item", rating: null, time: "time" },
  },
});
const columns = { user: "user", item: "item", rating: undefined, time: "time" };
const relation = { format: "parquet" as const, files: [], columns: [], layout: undefined, read: () => "" };
const inPlace = ["s3a://bucket/events.parquet"];
const sources = { interactions: { relation, columns }, items: undefined };

test.each(["yarn", "k8s://host", "spark://10.0.0.1:7077"])(
  "%s has workers elsewhere: storage must be named",
  (master) => {
    expect(() => planSpark({ config, sources, inPlace }, { master }, "scratch")).toThrow(
      `the workers of ${master} may be other machines`,
    );
    expect(
      planSpark({ config, sources, inPlace }, { master, storage: "s3a://bucket/scratch" }, "scratch").job.sql,
    ).toContain("s3a://bucket/scratch/tables");
  },
);

test.each([undefined, "local[2]", "spark://127.0.0.1:7077", "spark://localhost:7077"])(
  "%s is this machine",
  (master) => {
    const options = master === undefined ? {} : { master };
    expect(planSpark({ config, sources, inPlace }, options, "scratch").job.sql).toContain("/scratch/tables");
  },
);

describe("what tables were made for", () => {
  const key = (changed: object = {}, at: SparkOptions = {}, more: object = {}) =>
    planSpark({ config: { ...config, ...changed }, sources, inPlace, ...more }, at, "scratch").madeFor.script;

  test("is the same wherever they are, and not for another setting or column", () => {
    expect(key({}, { storage: "s3a://bucket/elsewhere" }, { inPlace: ["/copy.parquet"], run: "r" })).toBe(key());
    const other = { interactions: { relation, columns: { ...columns, user: "member" } }, items: undefined };
    expect(new Set([key(), key({ seed: 2 }), key({}, {}, { sources: other })]).size).toBe(3);
  });

  test("is written before anything else", () => {
    const { job, madeFor } = planSpark({ config, sources, inPlace, run: "this one" }, {}, "scratch");
    expect(job.sql.indexOf(`SELECT '${madeFor.script}' AS script, 'this one' AS run, inputs FROM`)).toBeGreaterThan(0);
    expect(job.sql.match(/INSERT OVERWRITE DIRECTORY '[^']*\/(\w+)'/)?.[1]).toBe("made_for");
  });

  test("tables of others are refused", async () => {
    await using database = await Database.open(":memory:", { scratch: "", threads: 1 });
    await database.run("CREATE TABLE made_for AS SELECT 's1' AS script, 'r1' AS run, 'i1' AS inputs");
    const check = (script: string, run: string, inputs: string) => checkMadeFor(database, { script, run, inputs }, "t");
    await check("s1", "r1", "i1");
    await check("s1", "", "i1");
    const another = `t holds the tables of another run; give each run a --storage of its own, and start this one again without --resume`;
    await expect(check("s1", "r2", "i1")).rejects.toThrow(another);
    await expect(check("s1", "r1", "i2")).rejects.toThrow(another);
    await expect(check("s2", "", "i1")).rejects.toThrow(
      "t holds the tables of a script with other settings; run the script that --dry-run prints for these, and copy what it has written",
    );
    await expect(check("s1", "", "i2")).rejects.toThrow(
      "t holds the tables of other files; stage these with --stage-only, run the script again, and copy what it has written",
    );
  });
});
