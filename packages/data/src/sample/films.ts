// The 360 films of the sample: real titles, years, genres, directors and countries; the plots are written for this project.
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { NearkinError } from "@nearkin/core";

/** One film, as a line of films.jsonl. */
export interface Film {
  /** Title in lower case without accents and marks, then the year: `the-third-man-1949`. */
  id: string;
  title: string;
  /** Year of the first showing. */
  year: number;
  /** Some of `GENRES`, in alphabetical order. */
  genres: string[];
  /** Everyone commonly credited as its director. */
  directors: string[];
  /** Countries of production, the main one first; Germany also stands for West Germany. */
  countries: string[];
  plot: string;
}

export const GENRES = [
  "Action",
  "Adventure",
  "Animation",
  "Comedy",
  "Crime",
  "Documentary",
  "Drama",
  "Family",
  "Fantasy",
  "History",
  "Horror",
  "Music",
  "Musical",
  "Mystery",
  "Romance",
  "Science Fiction",
  "Sport",
  "Thriller",
  "War",
  "Western",
] as const;

/** The films in the order of the file: by year, then id. */
export async function readFilms(): Promise<Film[]> {
  const text = await readFile(await findFilmsFile(dirname(fileURLToPath(import.meta.url))), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Film);
}

/** sample/films.jsonl of the nearest folder at or above `start`: this file runs from src/sample/ and, built, from dist/. */
export async function findFilmsFile(start: string): Promise<string> {
  for (let folder = start; ; folder = dirname(folder)) {
    const path = join(folder, "sample", "films.jsonl");
    if (await isFile(path)) return path;
    if (dirname(folder) === folder) break;
  }
  throw new NearkinError(
    "BAD_ARGUMENT",
    `sample: expected sample/films.jsonl in a folder above ${start}, found none; install @nearkin/data again`,
  );
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
