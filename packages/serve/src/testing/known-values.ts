// Values that a tiny server knows, so that requests at random are about something. Of what is there, only some is ever named: the rest must
// stay as it is.
import type { Filter } from "@nearkin/client";
import { printFilter } from "@nearkin/client";
import fc from "fast-check";
import type { Known } from "./arbitrary-values.ts";
import { nastyText } from "./nasty.ts";
import type { TinyServer } from "./tiny-server.ts";

const item = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("f000", "f001", "f002", "f007", "f012", "f019", "put 1", "put 2", "put 3") },
  { weight: 1, arbitrary: fc.constantFrom("f0O1", "nobody", "F001") },
);
const user = fc.constantFrom("ann", "bob", "cid", "new", "stranger");
const rating = fc.constantFrom(1, 2, 3, 4, 5, 0, -1e9, 1e9, null);
const field = fc.constantFrom("year", "genres", "title", "id", "ratings", "length", "nobody");
const scalar = fc.oneof(fc.constantFrom(1970, "1970", "Drama", true, "f001", 0), nastyText);
const number = fc.double({ noNaN: true, noDefaultInfinity: true });

/** Values of the tiny model's channels, of their kinds, and some of others. */
const channels = fc.record(
  {
    title: fc.constantFrom("The Quiet Harbour", "a", "", " "),
    plot: fc.constantFrom("a ferry keeps a secret", "two sisters inherit a cinema", "", "x".repeat(5000)),
    poster: fc.oneof(fc.tuple(number, number, number), fc.constantFrom([0, 0, 0], [1, 2], [1e38, 1e38, 1e38])),
    genres: fc.constantFrom(["Drama"], [], ["Nobody's"], "Drama", ["War", "War"]),
    year: fc.oneof(fc.constantFrom(1970, "1980", 0, -1, 1e9, "long ago"), number),
    released: fc.constantFrom("1970-01-15", "1970", 0, 1e12, -1e12, "yesterday"),
    place: fc.constantFrom(
      { latitude: 0, longitude: 0 },
      { latitude: 90, longitude: 180 },
      { latitude: -90, longitude: -180 },
    ),
    identity: fc.constantFrom(1, "f001", "nobody"),
  },
  { requiredKeys: [] },
);

const leaf: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ field, is: scalar }),
  fc.record({ field, in: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ field, has: scalar }),
  fc.record({ field, hasAny: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ field, above: fc.constantFrom(1970, "1970", "long ago") }),
  fc.record({ field, between: fc.tuple(fc.constantFrom(1900, "1950"), fc.constantFrom(1960, "2000", "z")) }),
  fc.record({ field, exists: fc.boolean() }),
  fc.record({ field, matches: fc.constantFrom("harbour", "(", ".*", "é") }),
  fc.record({ same: field }),
  fc.record({ seen: fc.boolean() }),
  fc.record({ added: fc.boolean() }),
);

/** Filters about fields that the tiny model has, as JSON or as text. */
export const filters: fc.Arbitrary<unknown> = fc
  .letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      fc.record({ all: fc.array(tie("filter"), { maxLength: 3 }) }),
      fc.record({ any: fc.array(tie("filter"), { maxLength: 3 }) }),
      fc.record({ not: tie("filter") }),
    ),
  }))
  .filter.chain((filter) => fc.constantFrom<unknown>(filter, printFilter(filter)));

/** Puts what must stay as it is (the item and the key `kept`, the user `keeper`), and gives what may be asked about. */
export async function knownValues(tiny: TinyServer): Promise<Known> {
  const rated = (name: string, items: readonly string[]) =>
    items.map((id, i) => ({ user: name, item: id, rating: 1 + (i % 5), time: 1000 + i }));
  const own = ["f021", "f024", "f031", "f035"];
  const met = ["f001", "f002", "f012", "f019"];
  await tiny.answer("addEvents", {
    body: { events: [...rated("keeper", own), ...rated("ann", met), ...rated("bob", met)] },
  });
  await tiny.answer("putItem", {
    params: { id: "kept" },
    body: { title: "Kept", channels: { year: 1961, genres: ["War"] }, fields: { length: 90 } },
  });
  for (const id of ["others", "films"]) await tiny.answer("activateModel", { params: { id } }); // rollback has somewhere to go
  await tiny.server.context.refresh.idle();
  const body = { name: "kept", scopes: ["read"] };
  await tiny.answer("createKey", { body });
  const { id: key } = await tiny.answer("createKey", { body: { ...body, name: "lost" } });
  const { recommendation, next } = await tiny.answer("similarToItem", { params: { id: "f000" } });
  const { id: model } = await tiny.answer("getModel", { params: { id: "films" } });
  return {
    item,
    user,
    channels,
    draft: channels,
    rating,
    exclude: item,
    ids: item,
    id: fc.oneof(item, fc.constantFrom("e1", "e2", "e3")),
    "weights.key": fc.constantFrom("genres", "year", "plot", "nobody", "__proto__"),
    recommendation: fc.constantFrom(recommendation, `x${recommendation}`, recommendation.slice(0, -1)),
    model: fc.constantFrom("films", "others", model as string, (model as string).slice(0, 8), "nobody", "../films"),
    file: fc.constantFrom("model.json", "items.safetensors", "history.parquet", "../../nearkin.db"),
    result: fc.constantFrom("films", "films.json", "../results/films", "nobody"),
    key: fc.constantFrom(key, "nobody"),
    cursor: fc.constantFrom(next as string, "0.0", "zzzzzzzz.aaaaaaaaaaaa"),
    after: fc.constantFrom("0.0", "5.abc", "9999999999999999.1", "-1.1", "1003.4", "own.3.a", "rest.b"),
  };
}
