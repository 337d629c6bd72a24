import { expect, test } from "vitest";
import { parseConfig } from "../config/parse.ts";
import { planSpark } from "./tables.ts";

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
    expect(() => planSpark({ config, sources, inPlace }, { master }, "work")).toThrow(
      `the workers of ${master} may be other machines`,
    );
    expect(planSpark({ config, sources, inPlace }, { master, storage: "s3a://bucket/work" }, "work").job.sql).toContain(
      "s3a://bucket/work/tables",
    );
  },
);

test.each([undefined, "local[2]", "spark://127.0.0.1:7077", "spark://localhost:7077"])(
  "%s is this machine",
  (master) => {
    const options = master === undefined ? {} : { master };
    expect(planSpark({ config, sources, inPlace }, options, "work").job.sql).toContain("/work/tables");
  },
);
