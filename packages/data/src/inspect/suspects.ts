// What no figure shows but a warning needs: times that cannot be, ids that are written in two ways.
import type { Database } from "../database.ts";
import type { Dataset } from "../dataset/open.ts";
import { parquet } from "../dataset/read.ts";

/** Besides the figures that are shown. */
export interface SuspectFacts {
  /** Training events before 1980, after now, and those whose number reads like a date: 20200102. */
  before1980: number;
  inFuture: number;
  dateLike: number;
  /** Training items that share the most common first moment. */
  sameFirstMoment: number;
  ids: IdFacts;
}

interface IdFacts {
  /** Ids that begin or end with white space, and one of them. */
  spacedItems: number;
  spacedItem: string | null;
  spacedUsers: number;
  spacedUser: string | null;
  /** Items without description whose id is that of a described item but for case, zeros in front, spaces or a ".0" behind. */
  twins: number;
  twin: string | null;
  twinDescribed: string | null;
}

export async function suspectFacts(database: Database, dataset: Dataset, now: number): Promise<SuspectFacts> {
  const times =
    dataset.manifest.time.kind === "seconds"
      ? await database.row<{ before1980: number; inFuture: number; dateLike: number }>(
          `SELECT COUNT(*) FILTER (WHERE time < 315532800) AS before1980, COUNT(*) FILTER (WHERE time > ${now}) AS "inFuture",
             COUNT(*) FILTER (WHERE time BETWEEN 19000101 AND 21001231
               AND time % 100 BETWEEN 1 AND 31 AND time // 100 % 100 BETWEEN 1 AND 12) AS "dateLike"
           FROM ${parquet(dataset.path("train/interactions.parquet"))}`,
        )
      : { before1980: 0, inFuture: 0, dateLike: 0 };
  const { same } = await database.row<{ same: number }>(
    `SELECT COALESCE(MAX(count), 0) AS same FROM (
       SELECT COUNT(*) AS count FROM ${parquet(dataset.path("train/items.parquet"))} GROUP BY first_seen
     )`,
  );
  return { ...times, sameFirstMoment: same, ids: await idFacts(database, dataset) };
}

async function idFacts(database: Database, dataset: Dataset): Promise<IdFacts> {
  const items = parquet(dataset.path("items.parquet"));
  const users = parquet(dataset.path("users.parquet"));
  const spaced = (id: string) => `REGEXP_MATCHES(${id}, '^[\\s\\x{A0}\\x{FEFF}]|[\\s\\x{A0}\\x{FEFF}]$')`;
  const plain = `LTRIM(REGEXP_REPLACE(LOWER(REGEXP_REPLACE(item_id, '^[\\s\\x{A0}\\x{FEFF}]+|[\\s\\x{A0}\\x{FEFF}]+$', '', 'g')), '\\.0+$', ''), '0')`;
  const of = (table: string, id: string) =>
    database.row<{ count: number; example: string | null }>(
      `SELECT COUNT(*) AS count, MIN(${id}) AS example FROM ${table} WHERE ${spaced(id)}`,
    );
  const spacedItems = await of(items, "item_id");
  const spacedUsers = await of(users, "user_id");
  const twins = await database.row<{ count: number; bare: string | null; described: string | null }>(
    `SELECT COUNT(*) AS count, MIN(bare.item_id) AS bare, ARG_MIN(full_.item_id, bare.item_id) AS described
     FROM (SELECT item_id, ${plain} AS plain FROM ${items} WHERE NOT described) AS bare
     JOIN (SELECT MIN(item_id) AS item_id, ${plain} AS plain FROM ${items} WHERE described GROUP BY 2) AS full_
       ON full_.plain = bare.plain`,
  );
  return {
    spacedItems: spacedItems.count,
    spacedItem: spacedItems.example,
    spacedUsers: spacedUsers.count,
    spacedUser: spacedUsers.example,
    twins: twins.count,
    twin: twins.bare,
    twinDescribed: twins.described,
  };
}
