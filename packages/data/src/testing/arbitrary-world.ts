// Random small worlds for property tests: awkward ids, ties in time, duplicates, halves of stars.
import fc from "fast-check";
import type { ConfigInput } from "../config/schema.ts";
import type { Event } from "./world.ts";

const userIds = ["0", "00", "10", "9", "A", "a", "b", "é", "ü x", "a,b", 'q"q', "😀", "～", "u1", "u2", "u3"];
const itemIds = [
  "1",
  "01",
  "2",
  "B",
  "a",
  "b",
  "c d",
  "é",
  "ß",
  "x,y",
  "中",
  "i1",
  "i2",
  "i3",
  "i4",
  "i5",
  "i6",
  "i7",
  "i8",
  "i9",
];

/** Rows of a file, 5 to 80 of them; few ids and few times, so that everything collides. */
export const arbitraryEvents: fc.Arbitrary<Event[]> = fc.array(
  fc.tuple(
    fc.constantFrom(...userIds),
    fc.constantFrom(...itemIds),
    fc.integer({ min: 1, max: 10 }).map((half) => half / 2),
    fc.oneof(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 4_000_000 })),
  ),
  { minLength: 5, maxLength: 80 },
);

/** Every split, with bounds small enough to bind. */
export const arbitraryConfig: fc.Arbitrary<Pick<ConfigInput, "split" | "pairs" | "truth" | "seed" | "statistics">> =
  fc.record({
    split: fc.oneof(
      fc.constant({ by: "none" as const }),
      fc.record({ by: fc.constantFrom("time" as const, "random" as const), fraction: fc.constantFrom(0.05, 0.1, 0.3) }),
      fc.record({
        by: fc.constant("users" as const),
        fraction: fc.constantFrom(0.05, 0.2),
        users: fc.integer({ min: 1, max: 3 }),
        userEvents: fc.constantFrom<[number, number]>([2, 6], [3, 5], [2, 199]),
        support: fc.constantFrom(0.5, 0.7),
      }),
    ),
    pairs: fc.record({
      window: fc.integer({ min: 1, max: 6 }),
      perUser: fc.integer({ min: 1, max: 40 }),
      total: fc.integer({ min: 1, max: 400 }),
    }),
    truth: fc.record({
      neighbours: fc.integer({ min: 1, max: 5 }),
      minCommonUsers: fc.integer({ min: 1, max: 3 }),
      maxQueries: fc.integer({ min: 1, max: 6 }),
    }),
    seed: fc.integer({ min: 0, max: 99 }),
    statistics: fc.record({ shrinkage: fc.constantFrom(0, 5) }),
  });
