import { expect, test } from "vitest";
import { parseConfig } from "../config/parse.ts";
import { Database } from "../database.ts";
import { checkTraining } from "./check-training.ts";

const config = parseConfig({ interactions: { files: "ratings.csv" } });

test.each([
  [0, "no interaction is left for training after the split by time"],
  [2 ** 31, "2,147,483,648 interactions are left for training, more than one machine can hold (2,147,483,647)"],
])("%d interactions are not trained on", async (events, message) => {
  await using database = await Database.open(":memory:", { scratch: "" });
  await database.run(`CREATE TABLE totals AS SELECT CAST(${events} AS BIGINT) AS events`);
  await expect(checkTraining(database, config)).rejects.toThrow(message);
});

test("two billion are", async () => {
  await using database = await Database.open(":memory:", { scratch: "" });
  await database.run("CREATE TABLE totals AS SELECT CAST(2147483647 AS BIGINT) AS events");
  await checkTraining(database, config);
});
