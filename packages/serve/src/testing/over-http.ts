// Requests over real sockets, to a server of this process or of another.
import { type RouteAnswer, type RouteName, routes } from "@nearkin/client/contract";
import { type Answered, answeredAs, pathOf, type Request } from "./tiny-server.ts";

/** Throws where no answer comes; an answer is held against the contract. */
export async function askAt<Name extends RouteName>(
  url: string,
  name: Name,
  request: Request = {},
): Promise<Answered<Name>> {
  const { body, headers } = request;
  const response = await fetch(new URL(pathOf(name, request), url), {
    method: routes[name].method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return answeredAs(name, { status: response.status, headers: Object.fromEntries(response.headers), text });
}

/** The answer of a request that must succeed. */
export async function answerAt<Name extends RouteName>(
  url: string,
  name: Name,
  request: Request = {},
): Promise<RouteAnswer<Name>> {
  const { status, answer, text } = await askAt(url, name, request);
  if (status >= 300) throw new Error(`${name} was answered ${status}: ${text}`);
  return answer;
}
