import { describe, expect, test } from "vitest";
import { openAt, type Place } from "../testing/places.ts";
import { ODD_IDS } from "./events.suite.ts";
import type { NewFeedback } from "./feedback.ts";

const shown = (recommendation: string, item: string, more: Partial<NewFeedback> = {}): NewFeedback => ({
  recommendation,
  user: null,
  item,
  action: "shown",
  model: "m1",
  ...more,
});

export function describeFeedback(fresh: () => Place): void {
  describe("feedback", () => {
    test("counts once by recommendation, item and action", async () => {
      await using store = await openAt(fresh(), { now: () => 9 });
      const batch = [
        shown("r", "x", { position: 1 }),
        shown("r", "y", { user: "ada", time: 3 }),
        shown("r", "x", { action: "clicked" }),
      ];
      expect(await store.feedback.add([...batch, batch[0]])).toEqual({ accepted: 3, duplicates: 1 });
      expect(await store.feedback.add([shown("r", "x", { time: 99, model: "m2" }), shown("s", "x")])).toEqual({
        accepted: 1,
        duplicates: 1,
      });
      expect(await store.feedback.add([])).toEqual({ accepted: 0, duplicates: 0 });
      const all = await store.feedback.page({ limit: 2 });
      all.push(...(await store.feedback.page({ after: all[1].arrival, limit: 9 })));
      const none = { user: null, position: null, time: 9 };
      expect(all).toEqual([
        { ...none, ...shown("r", "x"), position: 1, arrival: 1 },
        { ...none, ...shown("r", "y"), user: "ada", time: 3, arrival: 2 },
        { ...none, ...shown("r", "x"), action: "clicked", arrival: 3 },
        { ...none, ...shown("s", "x"), arrival: 6 },
      ]);
    });

    test("counts once by its id, where it has one; never in the place of another user's", async () => {
      await using store = await openAt(fresh());
      const named = shown("r", "x", { id: "1", user: "ada" });
      expect(await store.feedback.add([named, { ...named, item: "y" }])).toEqual({ accepted: 1, duplicates: 1 });
      expect(await store.feedback.add([{ ...named, id: "2" }])).toEqual({ accepted: 1, duplicates: 0 });
      const others = [{ ...named, user: "bob" }, shown("r", "x", { user: "bob" }), shown("r", "x", { user: "ada" })];
      expect(await store.feedback.add(others)).toEqual({ accepted: 3, duplicates: 0 });
    });

    test("is counted by model and action", async () => {
      await using store = await openAt(fresh());
      expect(await store.feedback.counts()).toEqual([]);
      await store.feedback.add(
        Array.from({ length: 30 }, (_, i) =>
          shown(`r${i}`, "x", { model: `m${i % 2}`, action: i % 3 ? "shown" : "clicked" }),
        ),
      );
      expect(await store.feedback.counts()).toEqual([
        { model: "m0", action: "clicked", count: 5 },
        { model: "m0", action: "shown", count: 10 },
        { model: "m1", action: "clicked", count: 5 },
        { model: "m1", action: "shown", count: 10 },
      ]);
    });

    test("with odd ids comes back as it was", async () => {
      await using store = await openAt(fresh());
      await store.feedback.add(ODD_IDS.map((id) => shown(id, id, { user: id, action: id, model: id })));
      expect(
        (await store.feedback.page({ limit: 99 })).map(({ recommendation, user }) => [recommendation, user]),
      ).toEqual(ODD_IDS.map((id) => [id, id]));
      await expect(store.feedback.add([shown("r", "x", { position: 0.5 })])).rejects.toMatchObject({
        code: "BAD_ARGUMENT",
      });
    });
  });
}
