// The list on the screen as a call of the API, to be pasted into a terminal.
import { type Chosen, printChosen } from "./tuning.ts";

/** A `curl` command that answers the same list. */
export function curlOf(item: string, chosen: Chosen, { origin, keyed }: { origin: string; keyed: boolean }): string {
  const { k: _, ...rest } = printChosen(chosen);
  const parameters: [string, string][] = [["k", String(chosen.k)]];
  for (const [name, value] of Object.entries(rest)) if (value !== null) parameters.push([name, value]);
  parameters.push(["explain", "true"]);
  const lines = [
    `curl -G ${quoted(`${origin}/v1/items/${encodeURIComponent(item)}/similar`)}`,
    ...(keyed ? ['-H "authorization: Bearer $NEARKIN_KEY"'] : []),
    ...parameters.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`),
  ];
  return lines.join(" \\\n  ");
}

/** As one word of a shell. */
export const quoted = (text: string): string =>
  /^[\w./:=@%,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
