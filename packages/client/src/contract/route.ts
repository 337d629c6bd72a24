// What a route is: one row of the table that the server registers from, the client calls through, OpenAPI is written from and fuzz tests
// generate from.
import type { z } from "zod";
import type { ApiErrorCode } from "../errors.ts";
import { fromQueryString } from "./query-string.ts";

export type Method = "GET" | "PUT" | "POST" | "DELETE";

/** What a key or token must be allowed to. `admin` is allowed everything; `public` asks for nothing. */
export type Scope = "public" | "read" | "events" | "admin";

/** Where the user's id stands in a request; `[]` is every entry of a list. */
export type UserPlace = "params.id" | "query.user" | "body.user" | "body.events[].user" | "body.feedback[].user";

/** A request and its answer, as JSON. `query` is what the texts mean. */
export interface RouteExample {
  readonly summary: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly response: unknown;
}

export interface RouteSpec {
  readonly method: Method;
  /** With `{name}` for parameters. */
  readonly path: `/${string}`;
  readonly scope: Scope;
  /**
   * Whether a token for one user may call it. Where the route has a `user`, every id that stands there must be the token's own; one that is
   * left out is the token's.
   */
  readonly tokens: boolean;
  readonly user?: UserPlace;
  /** Whether the same request again changes nothing more, so that it may be sent again where no answer came. */
  readonly idempotent: boolean;
  /** Groups routes in the documentation. */
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly params?: z.ZodObject;
  /** What the query string means; `querystring` reads it from texts. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly response: z.ZodType;
  /** @default "application/json" */
  readonly produces?: string;
  /** Errors of its own, besides those that every route may answer. */
  readonly errors: readonly ApiErrorCode[];
  readonly examples: readonly RouteExample[];
}

type QueryString<Spec extends RouteSpec> = Spec extends { readonly query: infer Query extends z.ZodObject }
  ? ReturnType<typeof fromQueryString<Query>>
  : undefined;

export type Route<Spec extends RouteSpec = RouteSpec, Name extends string = string> = Spec & {
  /** Unique; `operationId` in OpenAPI. */
  readonly name: Name;
  /** For the query string as it comes: texts, and lists of texts where a key is repeated. */
  readonly querystring: QueryString<Spec>;
};

/** Keeps what is literal about a route in its type. */
export function route<const Spec extends RouteSpec>(spec: Spec): Spec {
  return spec;
}

/** Routes by name. */
export function nameRoutes<const Specs extends Readonly<Record<string, RouteSpec>>>(
  specs: Specs,
): { readonly [Name in keyof Specs & string]: Route<Specs[Name], Name> } {
  const named = Object.entries(specs).map(([name, spec]) => [
    name,
    { ...spec, name, querystring: spec.query && fromQueryString(spec.query) },
  ]);
  return Object.fromEntries(named) as never;
}

/** Ids of users that a request names, as parsed; undefined where one is left out. Empty for a route without a user. */
export function namedUsers(
  { user }: RouteSpec,
  { params, query, body }: { params?: unknown; query?: unknown; body?: unknown },
): (string | undefined)[] {
  if (user === undefined) return [];
  switch (user) {
    case "params.id":
      return [(params as { id: string }).id];
    case "query.user":
      return [userOf(query)];
    case "body.user":
      return [userOf(body)];
    case "body.events[].user":
      return (body as { events: readonly unknown[] }).events.map(userOf);
    case "body.feedback[].user":
      return (body as { feedback: readonly unknown[] }).feedback.map(userOf);
  }
}

const userOf = (value: unknown): string | undefined => (value as { user?: string } | undefined)?.user;
