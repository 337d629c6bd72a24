// A call, by method and path as they stand in the contract: arguments and answer are typed by them, and no table is needed at run time.
import type { RouteAnswer, RouteBody, RouteName, RouteParams, RouteQuery, Routes } from "../contract/routes.ts";
import { fillPath, printQuery } from "./address.ts";
import type { CallOptions, Transport } from "./transport.ts";

type Addressed = {
  [Name in RouteName as `${Routes[Name]["method"]} ${Routes[Name]["path"]}`]: Name;
};

/** Such as "GET /v1/items/{id}". */
type Address = keyof Addressed;
/** What is no text in the table of routes, but bytes. */
type Bytes = { readonly produces: "application/octet-stream" };
export type AnswerTo<A extends Address> = Routes[Addressed[A]] extends Bytes
  ? Uint8Array<ArrayBuffer>
  : RouteAnswer<Addressed[A]>;

type Given<Key extends string, Value> = [Value] extends [undefined] ? unknown : { readonly [K in Key]: Value };
type MayBeGiven<Key extends string, Value> = [Value] extends [undefined]
  ? unknown
  : { readonly [K in Key]?: Value | undefined };

/** What a route needs. */
type Asked<A extends Address> = Given<"params", RouteParams<Addressed[A]>> &
  MayBeGiven<"query", RouteQuery<Addressed[A]>> &
  Given<"body", RouteBody<Addressed[A]>> & {
    /** Not to be sent again where it may have arrived. */
    readonly once?: boolean;
    /** What the answer is. @default "json" */
    readonly as?: "text" | "bytes";
  };

export type Call = <A extends Address>(
  address: A,
  asked: Asked<A>,
  options?: CallOptions | undefined,
) => Promise<AnswerTo<A>>;

interface AnyAsked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: object;
  readonly once?: boolean;
  readonly as?: "text" | "bytes";
}

export function createCall(send: Transport): Call {
  return async (address, asked, options) => {
    const { params = {}, query = {}, body, once, as } = asked as AnyAsked;
    const [method, path] = address.split(" ");
    const target = fillPath(path, params) + printQuery(query);
    return send({ ...options, address, method, target, body: body && JSON.stringify(body, finite), once, as }) as never;
  };
}

/** JSON would make null of a number that is none, and null has a meaning: not known, not rated. */
function finite(key: string, value: unknown): unknown {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  throw new TypeError(`${key}: expected a finite number, got ${value}`);
}
