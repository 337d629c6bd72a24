// Every code an error of the API can carry, with its HTTP status: the one table that the server answers by, the client retries by, and the
// documentation is made from. Free of zod, so that a page may import it.

interface ErrorKind {
  readonly status: number;
  /** When it is answered. */
  readonly when: string;
  /** What a caller can do about it. */
  readonly remedy: string;
}

export const apiErrors = {
  BAD_REQUEST: {
    status: 400,
    when: "a parameter, a key or a value of the request is not what the contract says, or the active model has no such channel",
    remedy: "`field` names the place and the message what was expected there",
  },
  UNAUTHENTICATED: {
    status: 401,
    when: "there is no key or token, or it is unknown, revoked or expired",
    remedy: "send `authorization: Bearer <key or token>`; sign a new token where the old one has expired",
  },
  FORBIDDEN: {
    status: 403,
    when: "the key or token lacks the scope of the route, the token is of another user, or the page's origin is not allowed; without keys also if the request came through a proxy, or asks for a key or a token",
    remedy: "use a key with the scope that the message names; behind a proxy, turn keys on",
  },
  NOT_FOUND: { status: 404, when: "no route has this path", remedy: "compare the path with /docs" },
  UNKNOWN_ITEM: {
    status: 404,
    when: "no item has this id; `nearest` lists items that may have been meant",
    remedy: "use one of them, put the item, or describe it as a draft",
  },
  UNKNOWN_USER: {
    status: 404,
    when: "nothing is stored of this user",
    remedy: "send events of theirs first; similar items need no known user",
  },
  UNKNOWN_MODEL: { status: 404, when: "no model has this id or folder", remedy: "choose one of GET /v1/models" },
  UNKNOWN_RESULT: {
    status: 404,
    when: "no evaluation has this name, or no page beside it",
    remedy: "choose one of GET /v1/evaluations",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    when: "the path exists, but not with this method",
    remedy: "the header `allow` lists the methods",
  },
  REQUEST_TIMEOUT: { status: 408, when: "the request did not arrive whole in time", remedy: "send it again" },
  CONFLICT: {
    status: 409,
    when: "the request does not fit the present state: another activation is under way, or there is no model to go back to",
    remedy: "look at GET /v1/models, then decide again",
  },
  OVER_LIMIT: {
    status: 409,
    when: "a bound of this server is reached: items put at run time (`spareItems`), or events or feedback of one user (`eventsPerUser`)",
    remedy:
      "delete what is no longer needed, raise the bound, or train a model that holds these items; leave out what is of the user that `field` names",
  },
  STALE_CURSOR: {
    status: 410,
    when: "the cursor is of another model, of another question, or too old",
    remedy: "begin again with the first page",
  },
  BODY_TOO_LARGE: { status: 413, when: "the body is larger than the server takes", remedy: "send smaller batches" },
  URI_TOO_LONG: {
    status: 414,
    when: "the address is longer than the server takes",
    remedy: "ask by POST /v1/similar, which takes everything in its body",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    when: "the body is not JSON by its content-type",
    remedy: "send `content-type: application/json`",
  },
  MISDIRECTED: {
    status: 421,
    when: "the Host header names none of the server's own hosts",
    remedy: "call it by a name it knows, or add the name to its configuration",
  },
  BAD_MODEL: {
    status: 422,
    when: "a folder is no model, or one that this server cannot serve",
    remedy: "the message lists its problems; train or copy it again",
  },
  BAD_RESULT: {
    status: 422,
    when: "a file of results is broken, too large, or of no format that this server knows",
    remedy: "the message says what is wrong with it; evaluate again",
  },
  UNSUPPORTED: {
    status: 422,
    when: "the active model cannot answer this: it predicts no ratings, or knows nothing of how users differ",
    remedy: "activate a model that can (`predictsRatings`, `personalizes`)",
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    when: "this caller has used up its rate",
    remedy: "wait as long as the header `retry-after` says, in seconds",
  },
  HEADERS_TOO_LARGE: { status: 431, when: "the headers are larger than the server takes", remedy: "send fewer" },
  INTERNAL: {
    status: 500,
    when: "the server made a mistake; its log has the reason under the request's id",
    remedy: "report it with `requestId`",
  },
  BUSY: { status: 503, when: "too many requests are waiting already", remedy: "try again after `retry-after` seconds" },
  STORE_UNAVAILABLE: {
    status: 503,
    when: "the database cannot be reached, so that nothing can be stored or read about users",
    remedy: "try again; similar items without a user are answered all the same",
  },
  NOT_READY: {
    status: 503,
    when: "the server is starting, has no model yet, or is shutting down",
    remedy: "try again after `retry-after` seconds",
  },
} as const satisfies Readonly<Record<string, ErrorKind>>;

/** The code of an error that the server answers. */
export type ApiErrorCode = keyof typeof apiErrors;

/** Marked as pure, so that a page that asks for none of this does not carry it. */
export const apiErrorCodes = /* @__PURE__ */ Object.keys(apiErrors) as [ApiErrorCode, ...ApiErrorCode[]];

/**
 * @example
 * statusOf("UNKNOWN_ITEM") // => 404
 */
export const statusOf = (code: ApiErrorCode): number => apiErrors[code].status;
