// Made-up users for the suite personalize: items with two coordinates to a channel, and what a user makes of them. Written to a file that all contenders
// read, so that all fit the same.
import { writeFileSync } from "node:fs";
import { Random } from "@nearkin/core";

/** p */
export const CHANNELS = 5;
export const NOISE = 0.5;
export const TEMPERATURE = 0.2;

export interface PersonalizeCase {
  name: string;
  target: "rating" | "preference" | "choice";
  users: number;
  /** Rows of the kernel; for choices a user's items. */
  rows: number;
  /** Choices: items that they are told apart from. */
  others: number;
  /** Users a second that are asked for; 0 for none. */
  goal: number;
}

export const cases: readonly PersonalizeCase[] = [
  { name: "rating, 100 rows", target: "rating", users: 120, rows: 100, others: 0, goal: 150 },
  { name: "preference, 100 items, 300 rows", target: "preference", users: 24, rows: 300, others: 0, goal: 40 },
  { name: "choice, 10 items, 300 others", target: "choice", users: 400, rows: 10, others: 300, goal: 0 },
  { name: "choice, 100 items, 300 others", target: "choice", users: 40, rows: 100, others: 300, goal: 0 },
];

/** Numbers of one user: coordinates (items, p, 2), then a target (process) or log q (choice) for each item. */
export const numbersOf = ({ rows, others }: PersonalizeCase): number => (rows + others) * (2 * CHANNELS + 1);

export function writeUsers(path: string, c: PersonalizeCase): void {
  const items = c.rows + c.others;
  const all = new Float64Array(c.users * numbersOf(c));
  for (let user = 0; user < c.users; user++) {
    const random = new Random(1).split(c.name, user);
    const own = all.subarray(user * numbersOf(c), (user + 1) * numbersOf(c));
    for (let k = 0; k < items * 2 * CHANNELS; k++) own[k] = 0.5 * random.normal();
    const values = own.subarray(items * 2 * CHANNELS);
    for (let i = 0; i < items; i++) values[i] = madeOf(c, own, i, random);
  }
  writeFileSync(path, new Uint8Array(all.buffer));
}

/** Users go by the first channel: what is near to their first item there they rate high, or like. */
function madeOf({ target, rows }: PersonalizeCase, z: Float64Array, i: number, random: Random): number {
  if (target === "choice") return -8 + random.normal();
  const at = i * 2 * CHANNELS;
  const near = Math.exp(-2 * ((z[at] - z[0]) ** 2 + (z[at + 1] - z[1]) ** 2));
  if (target === "rating") return 2 * near - 1 + 0.7 * random.normal();
  return i < rows / 3 ? (near > 0.2 ? 1 : 0.5) : -0.5;
}
