// One suite on both databases.
import { afterAll, beforeAll, describe } from "vitest";
import { libsqlPlaces, type Place, type Places, postgresPlaces } from "./places.ts";
import { noPostgres } from "./postgres.ts";

/**
 * Describes a suite once for each database; `fresh` gives places for stores, from `beforeAll` on. Where there is no PostgreSQL its half is skipped,
 * and says so; where CI is set, it fails.
 */
export function describeOnBoth(title: string, suite: (fresh: () => Place) => void): void {
  describe(`${title}, on libsql`, () => withPlaces(libsqlPlaces, suite));
  const skip = noPostgres !== "" && !process.env.CI;
  describe.skipIf(skip)(`${title}, on PostgreSQL${skip ? noPostgres : ""}`, () => withPlaces(postgresPlaces, suite));
}

function withPlaces(start: () => Places | Promise<Places>, suite: (fresh: () => Place) => void): void {
  let places: Places;
  beforeAll(async () => {
    places = await start();
  });
  afterAll(() => places[Symbol.asyncDispose]());
  suite(() => places.fresh());
}
