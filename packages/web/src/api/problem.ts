// What went wrong in the words of the page: what it is, and what to do about it.
import { apiErrors, NearkinApiError } from "@nearkin/client";
import { forbidden, unauthenticated } from "./refused.ts";

export interface Problem {
  title: string;
  /** What to do. */
  advice: string;
  /** What to type in a terminal for that. */
  command?: string | undefined;
  /** The server's own words. */
  detail?: string | undefined;
  /** What may help: the same again, another key, or neither. */
  remedy: "retry" | "sign in" | "none";
  /** Stable, to be compared with. */
  code: string;
}

const known: Readonly<Record<string, Omit<Problem, "code" | "detail">>> = {
  UNREACHABLE: {
    title: "The server cannot be reached",
    advice: "Look whether it is running and you are online, then try again.",
    remedy: "retry",
  },
  TIMED_OUT: { title: "The server took too long", advice: "It may be busy. Try again in a moment.", remedy: "retry" },
  BAD_ANSWER: {
    title: "The answer was not understood",
    advice: "Something between this page and the server may have answered in its place. Try again, or reload the page.",
    remedy: "retry",
  },
  NOT_FOUND: {
    title: "This server does not offer that",
    advice: "It may be older than this page. Update it, or ask whoever runs it.",
    remedy: "none",
  },
  UNKNOWN_ITEM: { title: "There is no such item", advice: "Search for it by its title.", remedy: "none" },
  UNKNOWN_USER: { title: "There is no such user", advice: "Choose another one.", remedy: "none" },
  UNKNOWN_MODEL: { title: "There is no such model", advice: "Choose one from the list of models.", remedy: "none" },
  NOT_READY: {
    title: "The server is starting",
    advice: "It has no model to answer with yet. Try again in a moment.",
    remedy: "retry",
  },
};

/** Any error as a problem. */
export function problemOf(error: unknown): Problem {
  if (error instanceof NearkinApiError) {
    const { code, message, requestId } = error;
    const detail = requestId === undefined ? message : `${message} (request ${requestId})`;
    if (code === "UNAUTHENTICATED") return { ...unauthenticated(message), code };
    if (code === "FORBIDDEN") return { ...forbidden(message), code };
    if (Object.hasOwn(known, code)) return { ...known[code], code, detail };
    const remedy = Object.hasOwn(apiErrors, code) ? apiErrors[code as keyof typeof apiErrors].remedy : "Try again.";
    const mayPass = error.status >= 500 || error.status === 429;
    return { title: message, advice: sentence(remedy), remedy: mayPass ? "retry" : "none", code };
  }
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "UNEXPECTED";
  // the worker has the same words for an item that is not there as the server
  if (Object.hasOwn(known, code)) return { ...known[code], code, detail: message };
  return {
    title: "Something went wrong on this page",
    advice: "Reload it. If that does not help, report the words below.",
    detail: message,
    remedy: "retry",
    code,
  };
}

/** The table of errors speaks in fragments, with code between backticks. */
function sentence(fragment: string): string {
  const plain = fragment.replaceAll("`", "");
  return `${plain[0].toUpperCase()}${plain.slice(1)}${plain.endsWith(".") ? "" : "."}`;
}
