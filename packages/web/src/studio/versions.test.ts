import { describe, expect, test } from "vitest";
import { alternativesOf } from "./alternatives.ts";
import type { StudioDraft } from "./draft.ts";
import { films } from "./testing/films.ts";
import { begin, changed, edit, entitle, pin, undo } from "./versions.ts";

const first: StudioDraft = { title: "A", values: { plot: "A crew.", genres: ["Drama"], year: "1979" } };

describe("versions", () => {
  test("edits of one field are one step, compared with what stood there before the first", () => {
    let versions = begin(first);
    for (const year of ["197", "19", "199", "1999"]) versions = edit(versions, "year", year);
    expect(versions.before).toBe(first);
    expect(versions.now.values.year).toBe("1999");
    expect(changed(versions)).toEqual(["year"]);
  });

  test("an edit of another field makes a version", () => {
    const years = edit(begin(first), "year", "1999");
    const both = edit(years, "genres", ["Drama", "War"]);
    expect(both.before).toBe(years.now);
    expect(changed(both)).toEqual(["genres"]);
  });

  test("what is typed and says the same changes nothing", () => {
    const versions = begin(first);
    expect(edit(versions, "year", "1979")).toBe(versions);
    expect(edit(versions, "release", " ")).toBe(versions);
  });

  test("a title makes no version", () => {
    const versions = entitle(edit(begin(first), "year", "1999"), "B");
    expect(versions.before).toBe(first);
    expect(versions.now.title).toBe("B");
  });

  test("after a pin all edits count from there, and undo takes all of them back but the title", () => {
    const pinned = pin(edit(begin(first), "year", "1999"));
    expect(changed(pinned)).toEqual([]);
    const edited = entitle(edit(edit(pinned, "genres", []), "plot", "Two crews."), "B");
    expect(changed(edited)).toEqual(["plot"]);
    expect(undo(edit(pinned, "year", "2000"))).toEqual(begin({ ...pinned.now }));
    expect(undo(edited).now).toMatchObject({ title: "B", values: { plot: "A crew." } });
  });
});

describe("alternatives", () => {
  const asked = (versions: Parameters<typeof alternativesOf>[1]) =>
    alternativesOf(films, versions).map(({ kind, channel, cells }) => [kind, channel, cells]);

  test("without each field", () => {
    expect(asked(begin(first))).toEqual([
      ["without", "plot", { genres: ["Drama"], year: 1979 }],
      ["without", "genres", { plot: "A crew.", year: 1979 }],
      ["without", "year", { plot: "A crew.", genres: ["Drama"] }],
    ]);
  });

  test("an edit can be undone, first of all", () => {
    expect(asked(edit(begin(first), "year", "1999"))[0]).toEqual([
      "undone",
      "year",
      { plot: "A crew.", genres: ["Drama"], year: 1979 },
    ]);
  });

  test("what was empty before is asked about once: without it", () => {
    const added = edit(begin(first), "director", ["Ann"]);
    expect(asked(added).filter(([, channel]) => channel === "director")).toHaveLength(1);
  });

  test("what was taken away can be given back", () => {
    expect(asked(edit(begin(first), "year", ""))[0].slice(0, 2)).toEqual(["undone", "year"]);
  });

  test("a field alone has nothing without it", () => {
    expect(asked(begin({ title: "", values: { plot: "A crew." } }))).toEqual([]);
  });
});
