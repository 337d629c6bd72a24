// How failures reach the user: `CODE: message`, and a stack only when asked for.
import { CommanderError } from "commander";
import type { Output } from "./output.ts";

export const exitCodes = { ok: 0, failure: 1, usage: 2, interrupted: 130 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/**
 * Reports an error on `output` and says which exit code it deserves.
 * commander has already printed its own message by the time its error gets here.
 */
export function report(error: unknown, output: Output, debug: boolean): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  output.log(`${describe(error)}\n`);
  if (debug) output.log(`${stackOf(error)}\n`);
  else if (codeOf(error) === undefined) output.log("Set NEARKIN_DEBUG=1 to see where it came from.\n");
  return codeOf(error) === "INTERRUPTED" ? exitCodes.interrupted : exitCodes.failure;
}

/** `CODE: message`; an error without a code of its own is `UNEXPECTED`. */
function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = codeOf(error) ?? "UNEXPECTED";
  return message.startsWith(`${code}:`) ? message : `${code}: ${message}`;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" && /^[A-Z][A-Z0-9_]*$/.test(error.code) ? error.code : undefined;
}

/** The stack, with the stacks of its causes. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\nCaused by: ${stackOf(error.cause)}`;
}
