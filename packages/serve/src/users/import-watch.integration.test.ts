import { expect, test } from "vitest";
import { describeOnBoth } from "../testing/on-both.ts";
import { openAt } from "../testing/places.ts";
import { TinyServer } from "../testing/tiny-server.ts";

describeOnBoth("events imported beside the server", (fresh) => {
  test("are known to it soon, also of users it has asked about before, and their metrics are fitted", async () => {
    const place = fresh();
    await using tiny = await TinyServer.open({ place });
    const asked = { params: { id: "f000" }, query: { user: "late" } };
    expect((await tiny.answer("similarToItem", asked)).metric.source).toBe("base"); // and remembered so
    await using beside = await openAt(place, { exclusive: false });
    const events = Array.from({ length: 12 }, (_, i) => ({
      user: "late",
      item: `f${String(i).padStart(3, "0")}`,
      rating: 1 + (i % 5),
      type: "rating",
      time: 1_700_000_000_000 + i * 1000,
    }));
    await beside.imports.add("dataset:test", { from: "", to: "12", events });
    const source = async () => (await tiny.answer("similarToItem", asked)).metric.source;
    await expect.poll(source).toBe("user");
  });
});
