// What the server, or the model here, does not take of a draft, and in which field.
import { NearkinApiError } from "@nearkin/client";
import { capital } from "../design/numbers.ts";

export interface Refusal {
  readonly channel: string;
  readonly message: string;
}

/** A problem of one field; undefined where it is none of a field. */
export function refusalOf(error: unknown, channels: readonly string[]): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message } = error;
  const place =
    error instanceof NearkinApiError && error.field !== undefined
      ? /(?:draft|channels)(?:\.([\w-]+)|\["([^"]*)"\])/.exec(error.field)
      : /^draft: channel (.+?): /.exec(message);
  const channel = place?.[1] ?? place?.[2];
  if (channel === undefined || !channels.includes(channel)) return undefined;
  // the place is where it is shown
  return {
    channel,
    message: sentence(message.replace(/^(?=[^\s:]*(?:draft|channels))[^:]*: (?:channel [^:]+: )?/, "")),
  };
}

const sentence = (text: string): string => `${capital(text)}${text.endsWith(".") ? "" : "."}`;
