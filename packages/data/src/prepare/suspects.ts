// Duplicates are looked for by grouping, which for millions of rows costs more than reading them from the file. Most files are grouped by user
// and have none: one look along the rows finds out, and leaves the grouping to the users it cannot vouch for.
import type { Database } from "../database.ts";

/** Makes `suspects`: the users with two rows of one item, and those whose rows do not stand together. */
export async function makeSuspects(database: Database): Promise<void> {
  const { users, items } = await database.row<{ users: number; items: number }>(
    "SELECT (SELECT COUNT(*) FROM users) AS users, (SELECT COUNT(*) FROM items) AS items",
  );
  const suspect = new Uint8Array(users);
  const closed = new Uint8Array(users); // their rows have come to an end
  const lastRun = new Int32Array(items).fill(-1); // the run of rows in which an item was met last
  let user = -1;
  let run = 0;
  await database.scan("SELECT user_index, item_index FROM indexed_interactions", (rows, [userOf, itemOf]) => {
    for (let k = 0; k < rows; k++) {
      if (userOf[k] !== user) {
        if (user >= 0) closed[user] = 1;
        user = userOf[k];
        run++;
        if (closed[user] === 1) suspect[user] = 1;
      }
      if (lastRun[itemOf[k]] === run) suspect[user] = 1;
      lastRun[itemOf[k]] = run;
    }
  });
  await database.run("CREATE TABLE suspects (user_index INTEGER)");
  const found = Array.from(suspect.keys()).filter((index) => suspect[index] === 1);
  if (found.length > Math.min(users / 10, 20_000))
    await database.run("INSERT INTO suspects SELECT user_index FROM users");
  else if (found.length > 0)
    await database.run(`INSERT INTO suspects VALUES ${found.map((index) => `(${index})`).join(", ")}`);
}
