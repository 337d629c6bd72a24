// Data sets of many shapes, from init to a prepared dataset.
import { afterAll, expect, test } from "vitest";
import { InitWorld, titleOf } from "../testing/init-world.ts";

const world = new InitWorld();
afterAll(() => world[Symbol.dispose]());

const KINDS = ["Drama", "Comedy", "War", "Noir", "Farce"];
const kinds = (i: number) => [KINDS[i % 5], KINDS[(i + 1 + (i % 3)) % 5]];
const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const moment = () => world.int(1_500_000_000, 1_600_000_000);
const day = () => new Date(1000 * moment()).toISOString().slice(0, 10);

/** Files of a data set, and the columns that init must find. */
interface Case {
  files: () => string[];
  interactions: { user: string; item: string; rating: string | null; time: string | null };
  items: { item: string; title: string | null };
  /** Channels that must be there. */
  channels: Record<string, string>;
  users: number;
}

const cases: Record<string, Case> = {
  "board games: Game_ID and BGGId, Feedback from 1 to 10": {
    files: () => [
      world.write(
        "games/votes.csv",
        world.events(40, 50).map(([u, i]) => [`p${u}`, 30_000 + 17 * i, world.int(1, 10)]),
        { header: ["Person", "Game_ID", "Feedback"] },
      ),
      world.write(
        "games/boxes.csv",
        range(50).map((i) => [30_000 + 17 * i, titleOf(i), 2 + (i % 4), 1990 + (i % 30), KINDS[i % 5]]),
        { header: ["BGGId", "Box", "Players", "YearPublished", "Kind"] },
      ),
    ],
    interactions: { user: "Person", item: "Game_ID", rating: "Feedback", time: null },
    items: { item: "BGGId", title: "Box" },
    channels: { title: "text", Players: "number", YearPublished: "number", Kind: "categories" },
    users: 40,
  },
  "books: semicolons, ISBNs, a users file, unknown names": {
    files: () => [
      world.write(
        "books/people.csv",
        range(40).map((u) => [u + 1, world.int(15, 80), world.pick(["Linz", "Graz", "Wels"])]),
        { header: ["User-ID", "Age", "Location"], delimiter: ";" },
      ),
      world.write(
        "books/opinions.csv",
        world.events(40, 60).map(([u, i]) => [u + 1, `0${19_515_344 + 131 * i}${i % 10}`, world.int(0, 10)]),
        { header: ["User-ID", "ISBN", "Book-Rating"], delimiter: ";" },
      ),
      world.write(
        "books/shelf.csv",
        range(60).map((i) => [`0${19_515_344 + 131 * i}${i % 10}`, titleOf(i), `Author ${i % 9}`, 1980 + (i % 25)]),
        { header: ["Nummer", "Werk", "Author", "Jahr"], delimiter: ";" },
      ),
    ],
    interactions: { user: "User-ID", item: "ISBN", rating: "Book-Rating", time: null },
    items: { item: "Nummer", title: "Werk" },
    channels: { title: "text", Author: "categories", Jahr: "number" },
    users: 40,
  },
  "recipes: the row's own id, tabs, votes on lists": {
    files: () => [
      world.write(
        "recipes/reviews.tsv",
        world.events(30, 40).map(([u, i], k) => [k + 1, `cook${u}`, 100 + 7 * i, day(), world.int(1, 5), "nice"]),
        { header: ["id", "cook", "recipe", "submitted", "stars", "comment"], delimiter: "\t" },
      ),
      world.jsonl(
        "recipes/recipes.jsonl",
        range(40).map((i) => ({ id: 100 + 7 * i, name: titleOf(i), tags: kinds(i), minutes: 5 + (i % 9) * 10 })),
      ),
    ],
    interactions: { user: "cook", item: "recipe", rating: "stars", time: "submitted" },
    items: { item: "id", title: "name" },
    channels: { title: "text", tags: "categories", minutes: "number" },
    users: 30,
  },
  "music: plays without ratings, hashes as ids": {
    files: () => {
      const hash = (kind: string, k: number) => `${kind}${((k + 1) * 2_654_435_761) % 4_294_967_296}`;
      return [
        world.write(
          "music/plays.csv",
          world
            .events(30, 50)
            .map(([u, i]) => [hash("u", u), hash("s", i), 1 + Math.floor(world.int(0, 99) ** 2 / 900), moment()]),
          { header: ["listener", "song", "play_count", "ts"] },
        ),
        world.write(
          "music/tracks.csv",
          range(50).map((i) => [hash("s", i), titleOf(i), `Band ${i % 8}`, 120 + ((i * 37) % 200)]),
          { header: ["track", "track_name", "artist", "seconds"] },
        ),
      ];
    },
    interactions: { user: "listener", item: "song", rating: null, time: "ts" },
    items: { item: "track", title: "track_name" },
    channels: { title: "text", artist: "categories", seconds: "number" },
    users: 30,
  },
  "a shop: order lines with quantity and price": {
    files: () => [
      world.write(
        "shop/orders.csv",
        world
          .events(35, 40, 14)
          .map(([u, i], k) => [
            `O${Math.floor(k / 3)}`,
            `C${u}`,
            `SKU-${i}`,
            world.pick([1, 1, 1, 1, 2, 3, 5]),
            `${10 + i}.99`,
            `${day()} 10:00:00`,
          ]),
        { header: ["order", "buyer", "article", "quantity", "unit_price", "placed"] },
      ),
      world.write(
        "shop/stock.csv",
        range(40).map((i) => [`SKU-${i}`, titleOf(i), `${10 + i}.99`, KINDS[i % 5]]),
        { header: ["code", "description", "price", "department"] },
      ),
    ],
    interactions: { user: "buyer", item: "article", rating: null, time: "placed" },
    items: { item: "code", title: null },
    channels: { description: "text", price: "number", department: "categories" },
    users: 35,
  },
  "MovieLens 1M-like: no headers, :: between cells, users too": {
    files: () => [
      world.write(
        "ml/r.dat",
        world.events(60, 90).map(([u, i]) => [u + 1, i + 1, world.int(1, 5), moment()]),
        { delimiter: "::" },
      ),
      world.write(
        "ml/m.dat",
        range(90).map((i) => [i + 1, `${titleOf(i)} (${1950 + (i % 50)})`, kinds(i).join("|")]),
        { delimiter: "::" },
      ),
      world.write(
        "ml/users.dat",
        range(60).map((u) => [
          u + 1,
          world.pick(["F", "M"]),
          world.pick([1, 18, 25, 35, 45, 50, 56]),
          world.int(0, 20),
          10_000 + 37 * u,
        ]),
        { delimiter: "::" },
      ),
    ],
    interactions: { user: "user", item: "item", rating: "rating", time: "time" },
    items: { item: "item", title: "title" },
    channels: { title: "text", year: "number", categories: "categories" },
    users: 60,
  },
  "Goodreads-like: JSON lines, averages that must not be channels": {
    files: () => [
      world.jsonl(
        "goodreads/reviews.json",
        world.events(30, 45).map(([u, i]) => ({
          user_id: `${u}f4a`,
          book_id: String(18_000_000 + 7919 * i),
          review_id: `r${u}-${i}`,
          rating: world.int(0, 5),
          review_text: "It was a book that I read.",
          date_added: `${day()}T10:00:00Z`,
          n_votes: world.int(0, 9),
        })),
      ),
      world.jsonl(
        "goodreads/books.json",
        range(45).map((i) => ({
          book_id: String(18_000_000 + 7919 * i),
          title: titleOf(i),
          average_rating: `3.${10 + i}`,
          ratings_count: String(100 * i),
          num_pages: 100 + ((i * 31) % 400),
          popular_shelves: kinds(i),
        })),
      ),
    ],
    interactions: { user: "user_id", item: "book_id", rating: "rating", time: "date_added" },
    items: { item: "book_id", title: "title" },
    channels: { title: "text", num_pages: "number", popular_shelves: "categories" },
    users: 30,
  },
  "jokes: ratings from -10 to 10, texts without titles": {
    files: () => [
      world.write(
        "jokes/jester.csv",
        world.events(40, 30).map(([u, i]) => [u + 1, i + 1, world.int(-1000, 1000) / 100]),
        { header: ["userId", "jokeId", "rating"] },
      ),
      world.write(
        "jokes/texts.csv",
        range(30).map((i) => [
          i + 1,
          `"A ${titleOf(i)} walks into a bar, and the barman says: ${titleOf(i + 3)}, why the long ${titleOf(i + 5)}?"`,
        ]),
        { header: ["jokeId", "jokeText"] },
      ),
    ],
    interactions: { user: "userId", item: "jokeId", rating: "rating", time: null },
    items: { item: "jokeId", title: null },
    channels: { jokeText: "text" },
    users: 40,
  },
  "likes: 0 and 1, ids of letters, tab": {
    files: () => [
      world.write(
        "likes/likes.tsv",
        world.events(30, 30).map(([u, i]) => [`anna${u}`, `clip-${i}`, world.int(0, 1), day()]),
        {
          header: ["viewer", "clip", "liked", "day"],
          delimiter: "\t",
        },
      ),
      world.write(
        "likes/clips.tsv",
        range(30).map((i) => [`clip-${i}`, titleOf(i), kinds(i).join(", ")]),
        {
          header: ["clip", "headline", "topics"],
          delimiter: "\t",
        },
      ),
    ],
    interactions: { user: "viewer", item: "clip", rating: "liked", time: "day" },
    items: { item: "clip", title: "headline" },
    channels: { title: "text", topics: "categories" },
    users: 30,
  },
};

test.each(Object.entries(cases))("%s", async (_, { files, interactions, items, channels, users }) => {
  const { yaml, config, guesses, notes } = await world.suggest(...files());
  expect({ interactions: config.interactions.columns, items: config.items?.columns }, notes.join("\n")).toEqual({
    interactions,
    items,
  });
  expect(guesses?.items?.item.reason).toMatch(/^holds (all|\d+ %) of the/);
  expect(Object.fromEntries(Object.entries(config.channels ?? {}).map(([name, { type }]) => [name, type]))).toEqual(
    channels,
  );
  const folder = String(config.interactions.files).replace(/\/.*/, "");
  const { counts } = await world.prepare(yaml, `${folder}-dataset`);
  expect(counts).toMatchObject({ users, rejectedInteractionRows: 0 });
  expect(counts.describedItems).toBe(counts.items);
});
