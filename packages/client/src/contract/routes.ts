// Every route of the API, by name. The server registers from this table; nothing is served that is not in it.
import type { z } from "zod";
import { nameRoutes, type Route, type RouteSpec } from "./route.ts";
import { accessRoutes } from "./routes/access.ts";
import { evaluationRoutes } from "./routes/evaluations.ts";
import { eventRoutes } from "./routes/events.ts";
import { itemRoutes } from "./routes/items.ts";
import { modelFolderRoutes } from "./routes/model-folder.ts";
import { modelRoutes } from "./routes/models.ts";
import { similarRoutes } from "./routes/similar.ts";
import { systemRoutes } from "./routes/system.ts";
import { userRoutes } from "./routes/users.ts";

export const routes = nameRoutes({
  ...similarRoutes,
  ...itemRoutes,
  ...eventRoutes,
  ...userRoutes,
  ...modelRoutes,
  ...modelFolderRoutes,
  ...evaluationRoutes,
  ...accessRoutes,
  ...systemRoutes,
});

export type Routes = typeof routes;
export type RouteName = keyof Routes;

/** Every route, where their types do not matter. */
export const allRoutes: readonly Route[] = Object.values(routes) as readonly Route[];

type Part<R extends RouteSpec, Key extends "params" | "query" | "body"> = R extends {
  readonly [K in Key]: infer Schema extends z.ZodType;
}
  ? Schema
  : undefined;

type In<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;
type Out<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** What a handler of a route gets, parsed and with defaults. */
export interface RouteInput<Name extends RouteName> {
  readonly params: Out<Part<Routes[Name], "params">>;
  readonly query: Out<Part<Routes[Name], "query">>;
  readonly body: Out<Part<Routes[Name], "body">>;
}

/** What stands in the path. */
export type RouteParams<Name extends RouteName> = In<Part<Routes[Name], "params">>;
/** The query that a caller may give: what has a default is optional. */
export type RouteQuery<Name extends RouteName> = In<Part<Routes[Name], "query">>;
/** The body that a caller may give. */
export type RouteBody<Name extends RouteName> = In<Part<Routes[Name], "body">>;
/** What a route answers. */
export type RouteAnswer<Name extends RouteName> = z.output<Routes[Name]["response"]>;
