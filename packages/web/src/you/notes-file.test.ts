import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NOTHING, type Notes, rate, skip } from "./notes.ts";
import { exportNotes, printNotes, readNotes } from "./notes-file.ts";
import { asideText, dropAside, loadNotes, type Storage, storeNotes } from "./notes-store.ts";

const notes: Notes = {
  ...skip(
    rate(rate(NOTHING, { item: "a", title: "A", rating: 5 }, 10), { item: "b", title: null, rating: 0.5 }, 20),
    "c",
  ),
  saved: { user: "ann", time: 15, ratings: [["z", 3]] },
};

describe("a text of notes", () => {
  test("is read as it was written", () => {
    expect(readNotes(printNotes(notes))).toEqual({ state: "read", notes, left: 0 });
  });

  test("for a file does not say what the server was given", () => {
    const text = exportNotes(notes);
    expect(text).not.toContain("ann");
    expect(readNotes(text)).toEqual({ state: "read", notes: { ...notes, saved: null }, left: 0 });
  });

  test("keeps what can be read of it, and counts the rest", () => {
    const good = { item: "a", title: "A", rating: 4, time: 5 };
    const text = JSON.stringify({
      format: "nearkin-ratings",
      version: 1,
      ratings: [good, { ...good, item: "b", rating: 4.2 }, { ...good, item: "" }, null, "c", { ...good, time: "now" }],
      skipped: ["q", 7, "a"],
      saved: { user: 3 },
    });
    expect(readNotes(text)).toEqual({
      state: "read",
      notes: { ratings: [{ ...good, changed: 5 }], skipped: ["q"], saved: null },
      left: 5,
    });
  });

  test.each([
    ["", "it is not JSON"],
    ["{", "it is not JSON"],
    ["[]", "it does not say that it is nearkin-ratings"],
    ['{"format":"letters"}', "it does not say that it is nearkin-ratings"],
    ['{"format":"nearkin-ratings"}', "it has no version"],
  ])("%j is damaged: %s", (text, reason) => {
    expect(readNotes(text)).toEqual({ state: "damaged", reason });
  });

  test("of a later version is not guessed at", () => {
    expect(readNotes('{"format":"nearkin-ratings","version":2,"ratings":[]}')).toEqual({ state: "later", version: 2 });
  });

  test("whatever JSON comes, nothing throws", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (ratings, saved) => {
        const read = readNotes(
          JSON.stringify({ format: "nearkin-ratings", version: 1, ratings, skipped: saved, saved }),
        );
        expect(read.state).toBe("read");
      }),
    );
  });
});

describe("storage", () => {
  function memory(refuses = false) {
    const texts = new Map<string, string>();
    const open = () => {
      if (refuses) throw new DOMException("refused", "SecurityError");
      return texts;
    };
    const storage: Storage = {
      getItem: (key) => open().get(key) ?? null,
      setItem: (key, text) => void open().set(key, text),
      removeItem: (key) => void open().delete(key),
    };
    return { storage, texts };
  }

  test("gives back what was stored, and holds nothing where there is nothing", () => {
    const { storage, texts } = memory();
    expect(loadNotes(storage)).toEqual({ notes: NOTHING, found: { kind: "fine" } });
    expect(storeNotes(storage, notes)).toBe(true);
    expect(loadNotes(storage)).toEqual({ notes, found: { kind: "fine" } });
    storeNotes(storage, NOTHING);
    expect(texts.size).toBe(0);
  });

  test("what cannot be read is put aside before anything is written over it", () => {
    const { storage, texts } = memory();
    texts.set("nearkin.ratings", "{half");
    expect(loadNotes(storage)).toEqual({ notes: NOTHING, found: { kind: "aside", reason: "it is not JSON" } });
    storeNotes(storage, notes);
    expect(asideText(storage)).toBe("{half");
    dropAside(storage);
    expect(asideText(storage)).toBeNull();
  });

  test("what is read in part is put aside as it was", () => {
    const { storage, texts } = memory();
    const text = printNotes(notes).replace('"rating":0.5', '"rating":"?"');
    texts.set("nearkin.ratings", text);
    const { notes: read, found } = loadNotes(storage);
    expect(read.ratings.map(({ item }) => item)).toEqual(["a"]);
    expect(found).toEqual({ kind: "partly", left: 1 });
    expect(asideText(storage)).toBe(text);
  });

  test("where there is no room to put it aside, what can be read of it is read, and it is said that the rest is stuck", () => {
    const { storage, texts } = memory();
    texts.set("nearkin.ratings", printNotes(notes).replace('"rating":0.5', '"rating":"?"'));
    const full = { ...storage, setItem: () => expect.fail("QuotaExceededError") };
    const { notes: read, found } = loadNotes(full);
    expect(read.ratings.map(({ item }) => item)).toEqual(["a"]);
    expect(found).toEqual({ kind: "stuck" });
  });

  test("a browser that refuses is said", () => {
    const { storage } = memory(true);
    expect(loadNotes(storage)).toEqual({ notes: NOTHING, found: { kind: "refused" } });
    expect(storeNotes(storage, notes)).toBe(false);
  });
});
