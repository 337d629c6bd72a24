// Requests at random for a route of the contract: as it wants them, spoiled in one place, or nothing that was ever a request.
import type { Route } from "@nearkin/client/contract";
import fc from "fast-check";
import { type Known, valuesOf } from "./arbitrary-values.ts";
import { nastyText, spoiled } from "./nasty.ts";

export interface RawRequest {
  readonly method: Route["method"];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
}

const JSON_TYPE = "application/json";

/** @param known values by the key they stand at, and `params.<name>` for those of the path */
export function requestsOf(route: Route, known: Known): fc.Arbitrary<RawRequest> {
  return fc
    .tuple(pathsOf(route, known), queriesOf(route, known), bodiesOf(route, known))
    .map(([path, query, { type, payload }]) => ({
      method: route.method,
      url: path + query,
      headers: { host: "localhost", ...(type === undefined ? {} : { "content-type": type }) },
      ...(payload === undefined ? {} : { payload }),
    }));
}

function pathsOf({ path, params }: Route, known: Known): fc.Arbitrary<string> {
  const names = Object.keys(params?.shape ?? {});
  const values = names.map(
    (name) =>
      fc
        .oneof(
          { weight: 6, arbitrary: known[`params.${name}`] ?? fc.constant("x") },
          { weight: 1, arbitrary: valuesOf(params?.shape[name]) },
          { weight: 1, arbitrary: nastyText },
        )
        .filter((text) => text !== "." && text !== ".."), // whoever sends a URL takes them for folders, and asks another route
  );
  return fc.tuple(...values).map((texts) => {
    const byName = new Map(names.map((name, i) => [name, texts[i] as string]));
    return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => escaped(byName.get(name) ?? ""));
  });
}

/** Half a character has no escape; its bytes, as some make them, are no UTF-8. */
function escaped(text: string): string {
  return Array.from(text, (letter) => (/\p{Surrogate}/u.test(letter) ? "%ED%A0%80" : encodeURIComponent(letter))).join(
    "",
  );
}

function queriesOf({ query }: Route, known: Known): fc.Arbitrary<string> {
  const garbage = fc.constantFrom("?", "?%", "?a=%ff", "?=&&&=", "?k[]=1", "?k=1&k=2", "?__proto__=1", "?user[name]=a");
  if (!query) return fc.oneof({ weight: 12, arbitrary: fc.constant("") }, { weight: 1, arbitrary: garbage });
  const meant = valuesOf(query, known) as fc.Arbitrary<Record<string, unknown>>;
  const spoilt = spoiled(meant).map((value) => (typeof value === "object" && value !== null ? { ...value } : {}));
  return fc.oneof(
    { weight: 8, arbitrary: meant.map(printed) },
    { weight: 5, arbitrary: spoilt.map(printed) },
    { weight: 1, arbitrary: garbage },
  );
}

/** Lists as the key repeated, or as JSON where they are of something else than texts. */
function printed(query: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(query).flatMap(([key, value]) =>
    textsOf(value).map((text) => `${escaped(key)}=${escaped(text)}`),
  );
  return texts.length === 0 ? "" : `?${texts.join("&")}`;
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  return [typeof value === "number" ? String(value) : JSON.stringify(value)];
}

interface Body {
  readonly type?: string;
  readonly payload?: string;
}

function bodiesOf({ body, method }: Route, known: Known): fc.Arbitrary<Body> {
  const asJson = (value: unknown): Body =>
    value === undefined ? {} : { type: JSON_TYPE, payload: JSON.stringify(value) };
  if (!body) {
    const unwanted = method === "GET" ? fc.constant<Body>({}) : fc.constantFrom({}, asJson({}), asJson({ a: 1 }));
    return fc.oneof({ weight: 6, arbitrary: fc.constant<Body>({}) }, { weight: 1, arbitrary: unwanted });
  }
  const meant = valuesOf(body, known);
  const garbage = fc.oneof(
    nastyText,
    fc.constantFrom("{", '{"a":1}}', "\ufeff{}", "nul", "'a'", "{a:1}", "[1,]", '"\\u12"', "1e999", "-", "\u0000"),
    fc.constantFrom(5000, 200_000).map((depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`),
    fc.constantFrom(5000, 100_000).map((depth) => `${'{"filter":'.repeat(depth)}1${"}".repeat(depth)}`),
    fc.constant(" ".repeat(2 ** 20 + 1)),
  );
  return fc.oneof(
    { weight: 10, arbitrary: meant.map(asJson) },
    { weight: 7, arbitrary: spoiled(meant).map(asJson) },
    { weight: 1, arbitrary: garbage.map((payload) => ({ type: JSON_TYPE, payload })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom("text/plain", "application/xml", "application/json; charset=utf-16", "a/b/c", ""), meant)
        .map(([type, value]) => ({ type, payload: JSON.stringify(value) ?? "" })),
    },
  );
}
