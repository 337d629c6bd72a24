/** The contract of the HTTP API as zod schemas: `@nearkin/client/contract`. */
export { type ApiErrorCode, apiErrorCodes, apiErrors, statusOf } from "../errors.ts";
export type { JsonSchema } from "./json-schema.ts";
export { type OpenApiDocument, type OpenApiOperation, type OpenApiOptions, openApi } from "./openapi.ts";
export { describeProblems, type Problem, printPath, problemsOf } from "./problems.ts";
export { fromQueryString, type QueryTexts } from "./query-string.ts";
export {
  type Method,
  namedUsers,
  type Route,
  type RouteExample,
  type RouteSpec,
  type Scope,
  type UserPlace,
} from "./route.ts";
export {
  allRoutes,
  type RouteAnswer,
  type RouteBody,
  type RouteInput,
  type RouteName,
  type RouteParams,
  type RouteQuery,
  type Routes,
  routes,
} from "./routes.ts";
export { errorSchema } from "./system.ts";
export type * from "./types.ts";
export { validateAnswer } from "./validate.ts";
