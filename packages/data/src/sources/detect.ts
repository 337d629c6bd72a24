// Which column is the user, the item, the rating, the time, when nobody said so.
import { NearkinError, nearestNames } from "@nearkin/core";

/** Names a column may have, most telling first; compared without case, spaces, - and _. */
const names = {
  user: [
    "userid",
    "user",
    "uid",
    "customerid",
    "reviewerid",
    "memberid",
    "visitorid",
    "accountid",
    "profileid",
    "clientid",
    "viewerid",
    "readerid",
    "listenerid",
    "buyerid",
    "playerid",
    "subscriberid",
    "personid",
    "customer",
    "reviewer",
    "client",
    "username",
  ],
  item: [
    "itemid",
    "item",
    "movieid",
    "parentasin",
    "asin",
    "productid",
    "businessid",
    "filmid",
    "bookid",
    "articleid",
    "trackid",
    "songid",
    "contentid",
    "showid",
    "videoid",
    "gameid",
    "recipeid",
    "restaurantid",
    "placeid",
    "venueid",
    "hotelid",
    "courseid",
    "animeid",
    "beerid",
    "wineid",
    "appid",
    "newsid",
    "listingid",
    "albumid",
    "artistid",
    "sku",
    "iid",
    "isbn",
    "product",
    "movie",
    "id",
  ],
  rating: [
    "rating",
    "ratings",
    "userrating",
    "reviewrating",
    "bookrating",
    "score",
    "reviewscore",
    "stars",
    "overall",
    "preference",
    "value",
  ],
  time: [
    "timestamp",
    "time",
    "unixreviewtime",
    "unixtime",
    "ts",
    "eventtime",
    "datetime",
    "date",
    "createdat",
    "ratedat",
    "timestampms",
    "unixtimestamp",
    "viewedat",
    "watchedat",
    "purchasedat",
    "reviewdate",
    "ratingdate",
    "orderdate",
    "reviewtime",
  ],
  title: [
    "title",
    "name",
    "movietitle",
    "itemname",
    "productname",
    "producttitle",
    "booktitle",
    "trackname",
    "headline",
  ],
} as const;

export type Role = keyof typeof names;

/** The column that plays a role, or undefined. "user_id:token" counts as "user_id". */
export function detectColumn(role: Role, columns: readonly string[]): string | undefined {
  const plain = columns.map((column) =>
    column
      .replace(/:\w+$/, "")
      .toLowerCase()
      .replaceAll(/[\s_-]/g, ""),
  );
  for (const name of names[role]) {
    const index = plain.indexOf(name);
    if (index >= 0) return columns[index];
  }
  return undefined;
}

/** The words of a column's name, in lower case: "avgRating:float" is avg, rating. */
export function columnWords(column: string): string[] {
  return column
    .replace(/:\w+$/, "")
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** Words for what people thought of an item, or how many of them there were. */
const OUTCOME =
  /^(rating|score|star|review|vote|upvote|downvote|rank|ranking|metascore|popularity|popular|like|dislike|favou?rite|view|play|click|download|sale|salesrank|purchase|follower|listener|watcher)s?$|^(avg|average|mean|num|total|count)(rating|review|vote|score|star)s?$|^(rating|review|vote|score|star)s?(avg|average|mean|num|count|total)$/;
/** "content rating" and the like say who may see an item, not how it was liked. */
const SUITABILITY = /^(content|age|maturity|parental|mpaa|esrb|pegi|fsk|classification)$/;

/**
 * Whether the name of a column of numbers says that it sums up ratings or counts interactions: an average rating, a number of votes.
 * Such a column must not be a channel: it holds the answers the kernel is trained and judged on, those of held-out users included.
 *
 * @example
 * summarisesRatings("vote_average") // => true
 * summarisesRatings("content_rating") // => false
 */
export function summarisesRatings(column: string): boolean {
  const words = columnWords(column);
  return words.some((word) => OUTCOME.test(word)) && !words.some((word) => SUITABILITY.test(word));
}

/** A column that must be there: the one the user named, or the one its name gives away. */
export function requireColumn(role: Role, named: string | undefined, columns: readonly string[], what: string): string {
  if (named !== undefined) return checkColumn(named, columns, `${what}.columns.${role}`);
  const found = detectColumn(role, columns);
  if (found !== undefined) return found;
  throw new NearkinError(
    "BAD_SOURCE",
    `${what}: no column looks like the ${role} id; columns are ${columns.join(", ")}; ` +
      `name it under ${what}.columns.${role}`,
  );
}

/** A column that need not be there; null means that the user wants none. */
export function optionalColumn(
  role: Role,
  named: string | null | undefined,
  columns: readonly string[],
  what: string,
): string | undefined {
  if (named === null) return undefined;
  if (named !== undefined) return checkColumn(named, columns, `${what}.columns.${role}`);
  return detectColumn(role, columns);
}

/** `name`, if it is a column; otherwise an error with the nearest one. `path` is where the configuration names it. */
export function checkColumn(name: string, columns: readonly string[], path: string): string {
  if (columns.includes(name)) return name;
  const [near] = nearestNames(name, columns, 1);
  throw new NearkinError(
    "BAD_SOURCE",
    `${path}: there is no column ${JSON.stringify(name)}${near ? `; did you mean ${JSON.stringify(near)}?` : ""} ` +
      `(columns are ${columns.join(", ")})`,
  );
}
