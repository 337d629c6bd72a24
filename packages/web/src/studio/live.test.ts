import { NearkinApiError } from "@nearkin/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { DraftQuestions } from "./asked.ts";
import type { Cells } from "./draft.ts";
import { type Alternative, createLive } from "./live.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const named = (letters: string) => [...letters].map((id) => ({ id, title: id }));

/** Answers lists by the plot; every question is written down, and may be held back. */
function world(lists: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const signals: AbortSignal[] = [];
  let gate: Promise<unknown> = Promise.resolve();
  const listOf = (cells: Cells) => lists[String(cells.plot ?? "")] ?? "";
  const note = async (kind: string, cells: Cells, signal: AbortSignal) => {
    asked.push(`${kind} ${String(cells.plot ?? "")}`);
    signals.push(signal);
    await gate;
    if (cells.plot === "down") throw new NearkinApiError("UNREACHABLE", "gone", { status: 0 });
    if (cells.plot === "odd") throw new NearkinApiError("BAD_REQUEST", "draft.plot: odd", { status: 400 });
  };
  const by: DraftQuestions = {
    place: "server",
    async neighbours(cells, _k, signal) {
      await note("neighbours", cells, signal);
      const items = named(listOf(cells)).map((item, i) => ({
        ...item,
        rank: i + 1,
        score: -i,
        distance: i,
        contributions: [],
      }));
      return { items, missing: [] };
    },
    async order(cells, _k, signal) {
      await note("order", cells, signal);
      return named(listOf(cells));
    },
    async rating(cells, signal) {
      await note("rating", cells, signal);
      return { mean: 3, deviation: 1, observationDeviation: 2 };
    },
  };
  return { by: () => by, asked, signals, hold: (until: Promise<unknown>) => (gate = until) };
}

const without = (plot: string): Alternative => ({ kind: "without", channel: "plot", cells: { plot } });
const start = () => createLive({ pause: 200, onRefusal: (error) => String(error).includes("odd") });
const lists = { first: "abc", second: "bac", other: "cab" };

test("a pause asks once: the list, then rating, version before and alternatives", async () => {
  const { by, asked } = world(lists);
  const live = start();
  live.put({ cells: { plot: "f" }, before: undefined, alternatives: [], by });
  await vi.advanceTimersByTimeAsync(100);
  live.put({ cells: { plot: "second" }, before: { plot: "first" }, alternatives: [without("other")], by });
  expect(live.busy.value).toBe(true);
  await vi.advanceTimersByTimeAsync(300);
  expect(asked).toEqual(["neighbours second", "rating second", "order first", "order other"]);
  expect(live.busy.value).toBe(false);
  expect(live.answer.value).toMatchObject({ place: "server", rating: { mean: 3 } });
  expect(live.answer.value?.before?.get("b")).toBe(2);
  expect(live.effects.value[0].moves?.moved.map(({ item, to }) => [item.id, to])).toEqual([
    ["b", 3],
    ["c", 1],
  ]);
});

test("what was asked before is remembered", async () => {
  const { by, asked } = world(lists);
  const live = start();
  const question = { cells: { plot: "first" }, before: undefined, alternatives: [without("other")], by };
  live.put(question);
  await vi.advanceTimersByTimeAsync(300);
  const count = asked.length;
  live.put(question);
  await vi.advanceTimersByTimeAsync(300);
  expect(asked).toHaveLength(count);
  live.again();
  await vi.advanceTimersByTimeAsync(300);
  expect(asked).toHaveLength(2 * count);
});

test("typing on stops what is under way, and its answer is dropped", async () => {
  const { by, signals, hold } = world(lists);
  const live = start();
  let release = (_: unknown) => {};
  hold(new Promise((resolve) => (release = resolve)));
  live.put({ cells: { plot: "first" }, before: undefined, alternatives: [], by });
  await vi.advanceTimersByTimeAsync(250);
  live.put({ cells: { plot: "second" }, before: undefined, alternatives: [], by });
  expect(signals[0].aborted).toBe(true);
  release(undefined);
  await vi.advanceTimersByTimeAsync(100);
  expect(live.answer.value).toBeUndefined();
  await vi.advanceTimersByTimeAsync(200);
  expect(live.answer.value?.items[0].id).toBe("b");
});

test("a failure is a problem, and the last answer stays for the way back", async () => {
  const { by } = world(lists);
  const live = start();
  live.put({ cells: { plot: "first" }, before: undefined, alternatives: [], by });
  await vi.advanceTimersByTimeAsync(300);
  live.put({ cells: { plot: "down" }, before: undefined, alternatives: [], by });
  await vi.advanceTimersByTimeAsync(300);
  expect(live.problem.value).toMatchObject({ code: "UNREACHABLE" });
  expect(live.answer.value?.items).toHaveLength(3);
  live.put({ cells: { plot: "second" }, before: undefined, alternatives: [], by });
  await vi.advanceTimersByTimeAsync(300);
  expect(live.problem.value).toBeUndefined();
});

test("what a field refuses is no problem of the screen", async () => {
  const { by } = world(lists);
  const live = start();
  live.put({ cells: { plot: "odd" }, before: undefined, alternatives: [], by });
  await vi.advanceTimersByTimeAsync(300);
  expect(live.problem.value).toBeUndefined();
  expect(live.busy.value).toBe(false);
});

test("an empty draft asks nothing, and clears", async () => {
  const { by, asked } = world(lists);
  const live = start();
  live.put({ cells: { plot: "first" }, before: undefined, alternatives: [], by });
  await vi.advanceTimersByTimeAsync(300);
  const count = asked.length;
  live.put({ cells: {}, before: { plot: "first" }, alternatives: [], by });
  await vi.advanceTimersByTimeAsync(300);
  expect(asked).toHaveLength(count);
  expect(live.answer.value).toBeUndefined();
});
