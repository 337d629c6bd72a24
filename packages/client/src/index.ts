/** A typed client of Nearkin's HTTP API, and its filter language; zod stays outside (see `@nearkin/client/contract`). */

export { createClient, type NearkinClient } from "./client/client.ts";
export { type ClientErrorCode, NearkinApiError } from "./client/error.ts";
export type { CallOptions, ClientOptions } from "./client/transport.ts";
export type * from "./contract/types.ts";
export { type ApiErrorCode, apiErrorCodes, apiErrors, statusOf } from "./errors.ts";
export { added, all, any, type FieldQuestions, not, same, seen, where, whereOf } from "./filter/build.ts";
export {
  type Bound,
  type FieldFilter,
  type Filter,
  fieldOperators,
  filterLimits,
  type Scalar,
  tooLarge,
} from "./filter/filter.ts";
export { FilterSyntaxError, parseFilter } from "./filter/parse.ts";
export { printFilter } from "./filter/print.ts";
