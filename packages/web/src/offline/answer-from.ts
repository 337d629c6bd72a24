// Which requests of the page its service worker answers, and how. The API is never among them: what it says of anybody is kept nowhere.
import { routeOf } from "../app/routes.ts";

/**
 * `kept`: a file of this build, which never changes under its name. `page`: a screen; from the network, and without one as it was kept.
 * `network`: not ours to answer.
 */
export type AnswerFrom = "kept" | "page" | "network";

interface Asked {
  readonly method: string;
  readonly url: string;
  /** As `Request.mode`: "navigate" where a screen is opened. */
  readonly mode: string;
}

export function answerFrom({ method, url, mode }: Asked, origin: string, files: ReadonlySet<string>): AnswerFrom {
  const { origin: from, pathname } = new URL(url);
  if (method !== "GET" || from !== origin) return "network";
  if (files.has(pathname)) return "kept";
  return mode === "navigate" && routeOf(pathname).screen !== "nowhere" ? "page" : "network";
}
