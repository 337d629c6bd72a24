// Whether the server takes a key or a token, before it is kept.
import { callerOf } from "./credential.ts";

/** What is wrong with it, in words; undefined where the server takes it. */
export async function problemWith(given: string, ask: typeof fetch = fetch): Promise<string | undefined> {
  const caller = callerOf(given);
  if (caller === undefined) return "This is neither. Keys begin with nk_, tokens with nt_.";
  if (caller.kind === "token" && caller.expires <= Date.now()) return "This token has expired. Ask for a new one.";
  try {
    const { status, headers } = await ask("/v1/items?limit=1", { headers: { authorization: `Bearer ${given}` } });
    if (status === 401) return "The server does not know it: it is mistyped, expired or revoked.";
    if (status === 429)
      return `The server takes no more tries for now. Wait ${headers.get("retry-after") ?? "60"} seconds.`;
    return undefined; // what it may do is for each screen to find out
  } catch {
    return "The server cannot be reached. Try again.";
  }
}
