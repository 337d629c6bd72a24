import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { type Film, findFilmsFile, GENRES, readFilms } from "./films.ts";

let films: Film[];
beforeAll(async () => {
  films = await readFilms();
});

/** Accents and apostrophes go, everything else that is no letter or digit parts words. */
function slug(title: string): string {
  return title
    .replace("½", " 1 2")
    .normalize("NFD")
    .replace(/[\p{M}'.]/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

/** Names of the films that break a rule: the failure shows which. */
const breaking = (rule: (film: Film) => boolean) => films.filter((film) => !rule(film)).map((film) => film.id);

describe("films.jsonl", () => {
  test("has at least 300 films, each id once, by year and id", () => {
    expect(films.length).toBeGreaterThanOrEqual(300);
    expect(new Set(films.map((film) => film.id)).size).toBe(films.length);
    const sorted = [...films].sort((a, b) => a.year - b.year || (a.id < b.id ? -1 : 1));
    expect(films.map((film) => film.id)).toEqual(sorted.map((film) => film.id));
  });

  test("has these fields and no others", () => {
    const fields = "id,title,year,genres,directors,countries,plot";
    expect(breaking((film) => Object.keys(film).join() === fields)).toEqual([]);
  });

  test("ids are the title's slug and the year", () => {
    expect(breaking((film) => film.id === `${slug(film.title)}-${film.year}`)).toEqual([]);
  });

  test("years are those of the cinema", () => {
    expect(breaking((film) => Number.isInteger(film.year) && film.year >= 1895 && film.year <= 2024)).toEqual([]);
  });

  test("genres are of the list, each once, in order, one to five", () => {
    const listed = (film: Film) => GENRES.filter((genre) => film.genres.includes(genre));
    expect(breaking((film) => film.genres.join() === listed(film).join())).toEqual([]);
    expect(breaking((film) => film.genres.length >= 1 && film.genres.length <= 5)).toEqual([]);
    expect(GENRES.filter((genre) => !films.some((film) => film.genres.includes(genre)))).toEqual([]);
  });

  test("directors and countries are there, each once", () => {
    const clean = (list: string[]) =>
      list.length > 0 &&
      new Set(list).size === list.length &&
      list.every((name) => name !== "" && name === name.trim());
    expect(breaking((film) => clean(film.directors) && clean(film.countries))).toEqual([]);
  });

  test("a name has one spelling, accents or not", () => {
    const spellings = new Map<string, Set<string>>();
    for (const name of films.flatMap((film) => [...film.directors, ...film.countries])) {
      const key = slug(name);
      spellings.set(key, (spellings.get(key) ?? new Set()).add(name));
    }
    expect([...spellings.values()].filter((names) => names.size > 1)).toEqual([]);
  });

  test("people who always work together are always credited together", () => {
    const pair = ["Joel Coen", "Ethan Coen"];
    const credited = (film: Film) => pair.filter((name) => film.directors.includes(name)).length;
    expect(breaking((film) => credited(film) !== 1)).toEqual([]);
    expect(films.filter((film) => credited(film) === 2)).toHaveLength(7);
  });

  test("plots have 15 to 60 words, end with a stop, and are told in one spelling", () => {
    expect(breaking(({ plot }) => plot.split(" ").length >= 15 && plot.split(" ").length <= 60)).toEqual([]);
    expect(
      breaking(({ plot }) => /^\p{Lu}.*[^.]\.$/u.test(plot.replace(/^\d+/, "N")) && !/ {2}|[“”‘’—]/.test(plot)),
    ).toEqual([]);
    expect(
      breaking(
        ({ plot }) => !/\b(aging|neighbor|color|honor\b|traveler|civilization|(organ|real|terror)ize)/.test(plot),
      ),
    ).toEqual([]);
  });

  test("no plot stands twice", () => {
    expect(new Set(films.map((film) => film.plot)).size).toBe(films.length);
  });
});

describe("findFilmsFile", () => {
  const folder = dirname(fileURLToPath(import.meta.url));

  test("finds the same file from the source and from where the build puts it", async () => {
    const path = await findFilmsFile(folder);
    expect(existsSync(path)).toBe(true);
    expect(await findFilmsFile(join(folder, "..", "..", "dist"))).toBe(path);
  });

  test("says so when there is none", async () => {
    await expect(findFilmsFile("/")).rejects.toMatchObject({
      code: "BAD_ARGUMENT",
      message: "sample: expected sample/films.jsonl in a folder above /, found none; install @nearkin/data again",
    });
  });
});
