// One text on one line: what comes in, and what goes out.
//
//   in   {"id": "alien-1979", "text": "The crew of a freighter …"}
//   out  {"id": "alien-1979", "vector": [0.0123, …]}                  null for a text that is empty or blank
//   or   {"id": "alien-1979", "line": 7, "error": {"code": "BAD_ARGUMENT", "message": "…"}}
import { NearkinError } from "@nearkin/core";
import { bad, checkKeys, idOf, isObject, type LineError, readId, shown } from "../json-line.ts";
import type { Line } from "../lines.ts";

export interface TextRequest {
  readonly id: string;
  readonly text: string;
}

export interface TextRefusal {
  /** null where the line does not say. */
  readonly id: string | null;
  /** From 1. */
  readonly line: number;
  readonly error: LineError;
}

export const isTextRefusal = (one: TextRequest | TextRefusal): one is TextRefusal => "error" in one;

const LINE = '{"id": "an id", "text": "what to encode"}';

export function readTextLine({ text: json, line }: Pick<Line, "text" | "line">): TextRequest | TextRefusal {
  let request: unknown;
  try {
    request = JSON.parse(json);
  } catch (cause) {
    return { id: null, line, error: { code: "BAD_JSON", message: (cause as Error).message } };
  }
  try {
    if (!isObject(request)) throw bad(`expected ${LINE}, got ${shown(request)}`);
    checkKeys(request, ["id", "text"], "");
    const id = readId(request, "id", LINE);
    const { text } = request;
    if (text != null && typeof text !== "string") throw bad(`text: expected a text, got ${shown(text)}`);
    if (text === undefined) throw bad(`expected ${LINE}, got no text`);
    return { id, text: text ?? "" };
  } catch (error) {
    if (!(error instanceof NearkinError)) throw error;
    const id = isObject(request) ? idOf(request.id) : undefined;
    return { id: id ?? null, line, error: { code: error.code, message: error.message } };
  }
}

/** An answer as JSON. Nine digits are enough for any float: read as one, they are the same bits. */
export function vectorLine(id: string, vector: Float32Array | null): string {
  const numbers = vector === null ? null : Array.from(vector, (value) => Number(value.toPrecision(9)));
  return `${JSON.stringify({ id, vector: numbers })}\n`;
}
