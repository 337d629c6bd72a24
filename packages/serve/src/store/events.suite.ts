import { describe, expect, test } from "vitest";
import { openAt, type Place } from "../testing/places.ts";
import type { NewEvent } from "./events.ts";

const rated = (user: string, item: string, time: number, rating = 4): NewEvent => ({
  user,
  item,
  time,
  rating,
  type: "rating",
});

/** Texts that are somebody's id somewhere, and that bad SQL would trip over. */
export const ODD_IDS = [
  "'; DROP TABLE nearkin.events; --",
  '"quoted" \\ and `ticked`',
  "%_",
  "$1 ?1 :a @b",
  " leading and trailing ",
  "line\nbreak\ttab\r",
  "é",
  "e\u0301", // the same to the eye, another text
  "😀👩‍👩‍👧‍👦",
  "\u202eright to left",
  "\uffff\ufeff",
  "0",
  "00",
  "NULL",
  "x".repeat(512),
  "漢".repeat(512),
  "😀".repeat(512),
];

export function describeEvents(fresh: () => Place): void {
  describe("events", () => {
    test("come back in the order of their times, and of arrival where these are equal", async () => {
      await using store = await openAt(fresh());
      await store.events.add([
        rated("ada", "late", 30),
        rated("ada", "early", 10),
        rated("bob", "his", 5),
        rated("ada", "first", 20),
      ]);
      await store.events.add([rated("ada", "second", 20)]);
      const events = await store.events.ofUser("ada");
      expect(events.map(({ item }) => item)).toEqual(["early", "first", "second", "late"]);
      expect(events[0]).toEqual({
        user: "ada",
        item: "early",
        rating: 4,
        time: 10,
        type: "rating",
        key: expect.any(String),
        arrival: 2,
      });
      expect((await store.events.ofUser("ada", { last: 2 })).map(({ item }) => item)).toEqual(["second", "late"]);
      expect(await store.events.ofUser("nobody")).toEqual([]);
    });

    test("are read page by page in the order of arrival", async () => {
      await using store = await openAt(fresh());
      const sent = Array.from({ length: 1200 }, (_, i) => rated(`u${i % 7}`, `i${i}`, 5000 - i));
      await store.events.add(sent.slice(0, 700));
      await store.events.add(sent); // 700 again
      const read = [];
      for (let after = 0; ; ) {
        const page = await store.events.page({ after, limit: 500 });
        if (page.length === 0) break;
        read.push(...page);
        after = page[page.length - 1].arrival;
      }
      expect(read.map(({ item }) => item)).toEqual(sent.map(({ item }) => item));
      expect(await store.events.count()).toBe(1200);
    });

    test("count once by the user's own id of them, whatever else is in them", async () => {
      await using store = await openAt(fresh());
      const first = await store.events.add([{ ...rated("ada", "x", 1), id: "e1" }]);
      expect(first).toEqual({ accepted: 1, duplicates: 0, acceptedUsers: ["ada"] });
      const again = [
        { ...rated("ada", "y", 2), id: "e1" },
        { ...rated("bob", "z", 2), id: "e1" }, // another user's
      ];
      expect(await store.events.add(again)).toEqual({ accepted: 1, duplicates: 1, acceptedUsers: ["bob"] });
      expect((await store.events.page({ limit: 9 })).map(({ item }) => item)).toEqual(["x", "z"]);
    });

    test("count once by their content where they have a time", async () => {
      await using store = await openAt(fresh());
      const event = rated("ada", "x", 1);
      expect(await store.events.add([event, event])).toMatchObject({ accepted: 1, duplicates: 1 });
      expect(await store.events.add([event])).toMatchObject({ accepted: 0, duplicates: 1, acceptedUsers: [] });
      const others = [
        { ...event, rating: 3 },
        { ...event, time: 2 },
        { ...event, type: "view" },
        { ...event, item: "y" },
      ];
      expect(await store.events.add(others)).toMatchObject({ accepted: 4, duplicates: 0 });
    });

    test("without id and time count once in a batch, and get the time of arrival", async () => {
      await using store = await openAt(fresh(), { now: () => 1234 });
      const seen: NewEvent = { user: "ada", item: "x", type: "view" };
      expect(await store.events.add([seen, seen])).toMatchObject({ accepted: 1, duplicates: 1 });
      expect(await store.events.add([seen])).toMatchObject({ accepted: 1, duplicates: 0 }); // seen once more
      expect(await store.events.ofUser("ada")).toMatchObject([{ time: 1234, rating: null }, { time: 1234 }]);
    });

    test("keep their keys when they move to another store", async () => {
      await using from = await openAt(fresh());
      await using to = await openAt(fresh());
      const event = { ...rated("ada", "x", 1), id: "e1" };
      await from.events.add([event]);
      const [{ arrival: _, ...moved }] = await from.events.page({ limit: 1 });
      await to.events.add([moved]);
      expect(await to.events.add([event])).toMatchObject({ accepted: 0, duplicates: 1 });
    });

    test("of many who write at once are each counted once, and each writer hears of its own", async () => {
      const place = fresh();
      await using store = await openAt(place);
      await using replica = await openAt(place, { exclusive: false });
      const batches = Array.from({ length: 40 }, (_, i) =>
        // Every batch shares an event with the next, and one with all others.
        [i, i + 1]
          .map((n) => ({ ...rated(`u${n}`, `i${n}`, n), id: `e${n}` }))
          .concat({ ...rated("all", "x", 1), id: "one" }),
      );
      const results = await Promise.all(batches.map((batch, i) => [store, replica][i % 2].events.add(batch)));
      const events = await store.events.page({ limit: 1000 });
      expect(events.length).toBe(42);
      expect(results.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(42);
      expect(results.every(({ accepted, duplicates }) => accepted + duplicates === 3)).toBe(true);
      expect(results.filter(({ acceptedUsers }) => acceptedUsers.includes("all")).length).toBe(1);
      expect(await store.events.count()).toBe(42);
    });

    test("become visible in the order of their numbers, so that nobody who follows them misses one", async () => {
      const place = fresh();
      await using store = await openAt(place);
      await using replica = await openAt(place, { exclusive: false });
      let writing = true;
      const followed: string[] = [];
      const follow = async () => {
        for (let after = 0; ; ) {
          const last = !writing;
          const page = await store.events.page({ after, limit: 7 });
          followed.push(...page.map(({ item }) => item));
          if (page.length > 0) after = page[page.length - 1].arrival;
          else if (last) return;
        }
      };
      const following = follow();
      await Promise.all(
        [store, replica].map(async (writer, w) => {
          for (let i = 0; i < 40; i++) {
            await Promise.all(
              [0, 1].map((k) =>
                writer.events.add([rated("ada", `${w}.${i}.${k}`, i), rated("bob", `${w}.${i}.${k}b`, i)]),
              ),
            );
          }
        }),
      );
      writing = false;
      await following;
      expect(new Set(followed).size).toBe(320);
      expect(followed.length).toBe(320);
    });

    test("with odd ids come back as they were, and are told apart", async () => {
      await using store = await openAt(fresh());
      await store.events.add(ODD_IDS.map((id, i) => ({ user: id, item: id, type: id, time: i, id })));
      expect(await store.events.count()).toBe(ODD_IDS.length);
      for (const [i, id] of ODD_IDS.entries()) {
        expect(await store.events.ofUser(id)).toMatchObject([{ user: id, item: id, type: id, time: i }]);
        expect(await store.events.summaryOf(id)).toMatchObject({ events: 1, items: 1, first: i, last: i });
      }
    });

    test("that could not come back as they are get refused, alone and among others", async () => {
      await using store = await openAt(fresh());
      const good = rated("ada", "x", 1);
      const bad: NewEvent[] = [
        { ...good, user: "" },
        { ...good, item: "x".repeat(513) },
        { ...good, item: "😀".repeat(513) },
        { ...good, item: "nul\0byte" },
        { ...good, user: "lone \ud800 surrogate" },
        { ...good, rating: Number.NaN },
        { ...good, rating: Number.POSITIVE_INFINITY },
        { ...good, time: 1.5 },
        { ...good, type: "" },
        { ...good, id: "" },
      ];
      const added = bad.map((event) =>
        store.events.add([good, event]).then(
          () => "added",
          ({ code }) => code,
        ),
      );
      const meanwhile = store.events.add([rated("bob", "y", 1)]);
      expect(await Promise.all(added)).toEqual(bad.map(() => "BAD_ARGUMENT"));
      expect(await meanwhile).toMatchObject({ accepted: 1 });
      expect(await store.events.count()).toBe(1);
    });

    test("may lie before 1970, far ahead, and have any finite rating", async () => {
      await using store = await openAt(fresh());
      const values = [-5.5, 0, 0.1, 1e300, 5e-324, -1e-7];
      const times = [-8.64e15, -1, 0, 1, 1.7e12, Number.MAX_SAFE_INTEGER];
      await store.events.add(values.map((rating, i) => rated("ada", `i${i}`, times[i], rating)));
      const events = await store.events.ofUser("ada");
      expect(events.map(({ rating }) => rating)).toEqual(values);
      expect(events.map(({ time }) => time)).toEqual(times);
    });

    test("without a time keep the order of arrival when the clock is put back", async () => {
      let time = 50_000;
      await using store = await openAt(fresh(), { now: () => time });
      const view = (item: string) => store.events.add([{ user: "ada", item, type: "view" }]);
      await view("first");
      time -= 8000;
      await view("second");
      time += 9000;
      await view("third");
      expect((await store.events.ofUser("ada")).map(({ item, time }) => [item, time])).toEqual([
        ["first", 50_000],
        ["second", 50_000],
        ["third", 51_000],
      ]);
    });

    test("are told of in numbers", async () => {
      await using store = await openAt(fresh());
      await store.events.add([rated("ada", "x", 1), rated("ada", "x", 2), rated("ada", "y", 3), rated("bob", "z", 1)]);
      await store.events.add([{ user: "ada", item: "v", type: "view", time: 9 }]);
      expect(await store.events.summaryOf("ada")).toEqual({ events: 4, items: 3, ratings: 2, first: 1, last: 9 });
      expect(await store.events.summaryOf("nobody")).toEqual({
        events: 0,
        items: 0,
        ratings: 0,
        first: null,
        last: null,
      });
      const arrivals = (await store.events.ofUser("ada")).map(({ arrival }) => arrival);
      expect([await store.events.lastOf("ada"), await store.events.lastOf("nobody")]).toEqual([
        Math.max(...arrivals),
        0,
      ]);
    });

    test("are none where none are sent", async () => {
      await using store = await openAt(fresh());
      expect(await store.events.add([])).toEqual({ accepted: 0, duplicates: 0, acceptedUsers: [] });
      expect(await store.events.count()).toBe(0);
    });
  });
}
