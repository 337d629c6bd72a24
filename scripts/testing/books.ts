// Two small CSV files, as README.md describes them: books, and who rated them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../../packages/core/src/index.ts";

const GENRES = ["Fantasy", "Crime", "Science Fiction", "Romance", "History"];
const AUTHORS = ["Ann Ames", "Bo Berg", "Cy Cole", "Di Dorn", "Ed Eder", "Flo Frei"];
const FIRST = ["Quiet", "Last", "Hidden", "Broken", "Golden", "Winter", "Distant", "Burning"];
const SECOND = ["River", "Harbour", "Garden", "Empire", "Letter", "House", "Star", "Witness"];

/** Writes ratings.csv and books.csv: 60 books, and 60 readers who like two genres each. */
export function writeBooks(folder: string): void {
  const random = new Random(3);
  const books = Array.from({ length: 60 }, (_, i) => {
    const title = i === 7 ? "The Silent River" : `The ${FIRST[(i * 3) % 8]} ${SECOND[(i + (i >> 3)) % 8]}`;
    return {
      id: `b${String(i).padStart(3, "0")}`,
      title,
      author: AUTHORS[i % 6],
      genre: GENRES[i % 5],
      year: 1950 + ((i * 7) % 75),
    };
  });
  const ratings = Array.from({ length: 60 }, (_, user) => {
    const liked = [GENRES[user % 5], GENRES[(user + 1 + (user % 3)) % 5]];
    const met = books.filter(({ genre }) => random.uniform() < (liked.includes(genre) ? 0.6 : 0.1));
    return met.map(({ id, genre }, i) => {
      const rating = (liked.includes(genre) ? 4 : 2) + Math.floor(2 * random.uniform());
      return `u${user},${id},${rating},${1_700_000_000 + user * 300_000 + i * 50_000}`;
    });
  });
  writeFileSync(join(folder, "ratings.csv"), `user,book,rating,timestamp\n${ratings.flat().join("\n")}\n`);
  const rows = books.map(({ id, title, author, genre, year }) => [id, title, author, genre, year].join(","));
  writeFileSync(join(folder, "books.csv"), `id,title,author,genre,year\n${rows.join("\n")}\n`);
}
