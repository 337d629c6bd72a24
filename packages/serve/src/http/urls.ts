// URLs that no route can be asked about: badly escaped, or too long.
//
// Fastify would answer them before any hook has run: without authentication, headers, metrics or a line in the log. So they are sent
// to paths that cannot be typed (a raw NUL never gets through the parser), and the handler of unknown paths answers them like the rest.
import type { IncomingMessage } from "node:http";

export const BAD_URL = "/\0bad";
export const LONG_URL = "/\0long";

/** Longest URL that is read. Two ids of 512 characters, all of which need nine letters when escaped, leave three thousand. */
export const LONGEST_URL = 12_288;

/** For Fastify's `rewriteUrl`: the URL as it came, or one of the two paths above. */
export function checkedUrl({ url = "/" }: Pick<IncomingMessage, "url">): string {
  if (url.length > LONGEST_URL) return LONG_URL;
  const path = url.startsWith("/") ? url : pathOf(url);
  if (path === undefined) return BAD_URL;
  if (path.includes("%")) {
    try {
      decodeURIComponent(path);
    } catch {
      return BAD_URL;
    }
  }
  return path;
}

/** Requests through a proxy may name the whole URL. */
function pathOf(url: string): string | undefined {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const { pathname, search } = new URL(url);
  return pathname + search;
}
