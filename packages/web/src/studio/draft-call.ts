// The question on the screen as a call of the API, to be pasted into a terminal.
import { quoted } from "../explore/api-call.ts";
import type { Cells } from "./draft.ts";

interface CallOptions {
  origin: string;
  /** Whether the server asks for a key. */
  keyed: boolean;
  k: number;
}

/** A `curl` command that answers the same list. */
export function draftCall(cells: Cells, { origin, keyed, k }: CallOptions): string {
  const body = JSON.stringify({ items: [{ draft: cells }], k, explain: true });
  return [
    `curl ${origin}/v1/similar`,
    ...(keyed ? ['-H "authorization: Bearer $NEARKIN_KEY"'] : []),
    "-H 'content-type: application/json'",
    `-d ${quoted(body)}`,
  ].join(" \\\n  ");
}
