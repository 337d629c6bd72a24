import { NearkinApiError } from "@nearkin/client";
import { describe, expect, test } from "vitest";
import { markSaved, NOTHING, type Notes, rate, unrate } from "./notes.ts";
import { isSameMetric, planSave, requestsOf, type SaveClient, save } from "./save.ts";

const of = (item: string, rating: number) => ({ item, title: null, rating });
const notes: Notes = rate(rate(NOTHING, of("a", 5), 10), of("b", 2), 20);

/** A server that remembers what it was asked. */
function server(known: Record<string, number> = {}, { personalizes = true } = {}) {
  const asked: string[] = [];
  const sent: object[] = [];
  const client = {
    events: {
      add: async (events: readonly { id: string; item: string }[]) => {
        asked.push(`add ${events.map(({ item }) => item)}`);
        sent.push(...events);
        return { accepted: events.length, duplicates: 0, unknownItems: [] };
      },
    },
    users: {
      events: async (id: string) => {
        asked.push(`events ${id}`);
        return { events: Array.from({ length: Math.min(1, known[id] ?? 0) }), next: null };
      },
      delete: async (id: string) => void asked.push(`delete ${id}`),
      personalize: async (id: string) => {
        asked.push(`personalize ${id}`);
        if (!personalizes) throw new NearkinApiError("UNSUPPORTED", "it cannot", { status: 422 });
        return { weights: { plot: 1 } };
      },
    },
  } as unknown as SaveClient;
  return { client, asked, sent };
}

const options = { now: 99, shareName: false };

describe("save", () => {
  test("sends all ratings at first, and remembers what it sent", async () => {
    const { client, asked, sent } = server();
    const outcome = await save(client, notes, "ann", options);
    expect(asked).toEqual(["events ann", "add a,b", "personalize ann"]);
    expect(sent[0]).toEqual({ id: "you 10 a", user: "ann", item: "a", rating: 5, time: 10 });
    expect(outcome).toMatchObject({
      state: "saved",
      notes: {
        saved: {
          user: "ann",
          time: 99,
          ratings: [
            ["a", 10],
            ["b", 20],
          ],
        },
      },
    });
  });

  test("then only what is new or changed, at the time that the item was met", async () => {
    const { client, asked, sent } = server({ ann: 2 });
    const later = rate(markSaved(notes, "ann", 50), of("a", 1), 60);
    await save(client, later, "ann", options);
    expect(asked).toEqual(["add a", "personalize ann"]);
    expect(sent).toEqual([{ id: "you 60 a", user: "ann", item: "a", rating: 1, time: 10 }]);
  });

  test("writes all anew where a rating was taken back", async () => {
    const { client, asked } = server({ ann: 2 });
    await save(client, unrate(markSaved(notes, "ann", 50), "a"), "ann", options);
    expect(asked).toEqual(["delete ann", "add b", "personalize ann"]);
  });

  test("under another name takes the old copy away, after the new one is there", async () => {
    const { client, asked } = server({ ann: 2 });
    await save(client, markSaved(notes, "ann", 50), "bea", options);
    expect(asked).toEqual(["events bea", "add a,b", "personalize bea", "delete ann"]);
  });

  test("a name that somebody has is not taken without asking", async () => {
    const { client, asked } = server({ u0001: 14 });
    expect(await save(client, notes, "u0001", options)).toEqual({ state: "taken" });
    expect(asked).toEqual(["events u0001"]);
    expect(await save(client, notes, "u0001", { ...options, shareName: true })).toMatchObject({ state: "saved" });
  });

  test("ratings are saved also where the server fits no metric", async () => {
    const { client } = server({}, { personalizes: false });
    expect(await save(client, notes, "ann", options)).toMatchObject({ state: "saved", metric: undefined });
  });

  test("where it fails, nothing counts as saved", async () => {
    const { client } = server();
    const broken = { ...client, events: { add: async () => Promise.reject(new Error("down")) } };
    await expect(save(broken, notes, "ann", options)).rejects.toThrow("down");
  });
});

test("what would be sent is said beforehand", () => {
  expect(requestsOf(planSave(unrate(markSaved(notes, "ann", 50), "a"), "ann"))).toMatchInlineSnapshot(`
    [
      "DELETE /v1/users/ann: all that it has of “ann”, since you took ratings back",
      "POST /v1/events: 1 rating, each with item, stars and time, under the name “ann”",
      "POST /v1/users/ann/personalize: fits and keeps the metric of “ann” there",
    ]
  `);
  expect(requestsOf(planSave(markSaved(notes, "a/b", 50), "bea"))).toMatchInlineSnapshot(`
    [
      "GET /v1/users/bea/events: whether somebody has the name “bea” already",
      "POST /v1/events: 2 ratings, each with item, stars and time, under the name “bea”",
      "POST /v1/users/bea/personalize: fits and keeps the metric of “bea” there",
      "DELETE /v1/users/a%2Fb: the copy that you saved as “a/b”",
    ]
  `);
});

test("metrics are the same but for rounding", () => {
  expect(isSameMetric({ plot: 0.2, year: 0 }, { plot: 0.20001, year: 0 })).toBe(true);
  expect(isSameMetric({ plot: 0.2 }, { plot: 0.21 })).toBe(false);
  expect(isSameMetric({ plot: 0.2 }, {})).toBe(false);
});
