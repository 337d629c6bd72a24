import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NOTHING, rate } from "./notes.ts";
import { printNotes } from "./notes-file.ts";
import { change, done, followTabs, found, notes, put, said, say, undo } from "./you-state.ts";

const alien = rate(NOTHING, { item: "alien", title: "Alien", rating: 5 }, 1);

afterEach(() => vi.unstubAllGlobals());

beforeEach(() => {
  put(NOTHING);
  done.value = undefined;
  said.value = "";
});

test("a deed can be undone, once", () => {
  change(alien, "Rated Alien 5.");
  expect(notes.value).toBe(alien);
  expect(done.value?.said).toBe("Rated Alien 5.");
  undo();
  expect(notes.value).toBe(NOTHING);
  expect(said.value).toBe("Undone.");
  undo();
  expect(notes.value).toBe(NOTHING);
});

test("what changes nothing is nothing to undo", () => {
  change(NOTHING, "Rated nothing.");
  expect(done.value).toBeUndefined();
});

test("deed and effect are said together, and the effect stands by what can be undone", () => {
  change(alien, "Rated Alien 5.");
  say("Metric updated.");
  expect(said.value).toBe("Rated Alien 5. Metric updated.");
  expect(done.value).toMatchObject({ said: "Rated Alien 5.", effect: "Metric updated." });
  say("Another model."); // of no deed
  expect(said.value).toBe("Another model.");
  expect(done.value?.effect).toBe("Metric updated.");
});

test("who comes back finds what another tab has done meanwhile", () => {
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => stored.set(key, text),
    removeItem: (key: string) => stored.delete(key),
  });
  vi.stubGlobal("addEventListener", () => {});
  found.value = { kind: "fine" };
  change(alien, "Rated Alien 5.");
  const both = rate(alien, { item: "heat", title: "Heat", rating: 4 }, 2);
  stored.set("nearkin.ratings", printNotes(both)); // by the other tab
  followTabs();
  expect(notes.value).toEqual(both);
  expect(done.value).toBeUndefined();
});

test("what could not be put aside is not written over", () => {
  const setItem = vi.fn();
  vi.stubGlobal("localStorage", { getItem: () => null, setItem, removeItem: () => {} });
  found.value = { kind: "stuck" };
  put(alien);
  expect(setItem).not.toHaveBeenCalled();
  found.value = { kind: "refused" };
  put(alien);
  expect(setItem).toHaveBeenCalledOnce();
  expect(found.value).toEqual({ kind: "fine" });
});

test("without storage it is said that nothing lasts", () => {
  vi.stubGlobal("localStorage", undefined);
  put(alien);
  expect(found.value).toEqual({ kind: "refused" });
  expect(notes.value).toBe(alien);
});
