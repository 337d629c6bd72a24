import { expect, test } from "vitest";
import { printDraft, readDraft, type TextStore } from "./address.ts";
import type { StudioDraft } from "./draft.ts";

const lists = new Set(["genres"]);

function memory(): TextStore & { kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return { kept, getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => void kept.set(key, text) };
}

const there = (draft: StudioDraft, store: TextStore | undefined, elsewhere = store) =>
  readDraft(new URLSearchParams(printDraft(draft, store)), lists, elsewhere);

const draft: StudioDraft = {
  title: "A & B",
  values: { plot: "100 % = all, or?", genres: ["Rock, Pop", "Jazz"], year: "2031" },
  from: "alien-1979",
};

test("a draft goes into an address and comes back the same", () => {
  expect(printDraft(draft, undefined)).toBe(
    "?title=A+%26+B&draft.plot=100+%25+%3D+all%2C+or%3F&draft.genres=Rock%2C+Pop&draft.genres=Jazz&draft.year=2031&from=alien-1979",
  );
  expect(there(draft, undefined)).toEqual({ draft, lost: [], onlyFrom: false });
});

test("nothing typed is no query", () => {
  expect(printDraft({ title: "", values: {} }, memory())).toBe("");
  expect(there({ title: "", values: {} }, undefined).draft).toEqual({ title: "", values: {}, from: undefined });
});

test("an address may name an item to begin from, and nothing else", () => {
  expect(there({ title: "", values: {}, from: "alien-1979" }, undefined).onlyFrom).toBe(true);
});

const long: StudioDraft = { title: "", values: { plot: "word ".repeat(400) }, from: undefined };

test("a long text is kept in the tab, under a key that is the same for the same text", () => {
  const store = memory();
  const printed = printDraft(long, store);
  expect(printed.length).toBeLessThan(60);
  expect(printDraft(long, store)).toBe(printed);
  expect(store.kept.size).toBe(1);
  expect(there(long, store).draft).toEqual(long);
});

test("in another tab it is lost, and said to be", () => {
  expect(there(long, memory(), memory())).toMatchObject({ draft: { values: {} }, lost: ["plot"], onlyFrom: false });
});

test("where the tab keeps nothing, the address is long", () => {
  const full: TextStore = {
    getItem: () => null,
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
  };
  expect(there(long, full).draft).toEqual(long);
});

test.each(["@home", "@@home", "@"])("a text that looks like a key is none: %s", (plot) => {
  expect(there({ title: "", values: { plot }, from: undefined }, memory()).draft.values).toEqual({ plot });
});
