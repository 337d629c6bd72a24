// One suite for both databases.
import { afterAll, beforeAll, describe } from "vitest";
import { libsqlPlaces, type Places, postgresPlaces } from "../testing/places.ts";
import { noPostgres } from "../testing/postgres.ts";
import { describeEvents } from "./events.suite.ts";
import { describeFeedback } from "./feedback.suite.ts";
import { describeItems } from "./items.suite.ts";
import { describeLargeUsers } from "./large-users.suite.ts";
import { describeMetrics } from "./metrics.suite.ts";
import { describeServer } from "./server.suite.ts";
import { describeAgainstModel } from "./store-model.suite.ts";

function describeStore(title: string, start: () => Places | Promise<Places>, skip: boolean): void {
  describe.skipIf(skip)(title, () => {
    let places: Places;
    beforeAll(async () => {
      places = await start();
    });
    afterAll(() => places[Symbol.asyncDispose]());
    const fresh = () => places.fresh();
    describeEvents(fresh);
    describeItems(fresh);
    describeMetrics(fresh);
    describeFeedback(fresh);
    describeServer(fresh);
    describeLargeUsers(fresh);
    describeAgainstModel(fresh);
  });
}

describeStore("on libsql", libsqlPlaces, false);
describeStore(`on PostgreSQL${noPostgres}`, postgresPlaces, noPostgres !== "");
