// Who is refused is told what would be needed, and where to get it. The server's message says why; its words are for programs.
import type { Problem } from "./problem.ts";

type Refusal = Omit<Problem, "code">;

/** What whoever runs the server types to make a key. */
export const makeKey = (scopes: string): string => `nearkin keys create --scopes ${scopes}`;

/** The server does not know who asks. */
export function unauthenticated(message: string): Refusal {
  const isUnknown = /not valid/.test(message);
  return {
    title: isUnknown ? "The server does not know your key or token any more" : "This server asks who you are",
    advice: isUnknown
      ? "It has expired, or was revoked. Sign in with another. Whoever runs the server can make a key:"
      : "Sign in with an API key or a token. Whoever runs the server can make a key:",
    command: makeKey("read"),
    remedy: "sign in",
  };
}

const uses: Readonly<Record<string, string>> = {
  read: "It answers questions.",
  events: "It stores what users do.",
  admin: "It changes items and models, and sees who the users are.",
};

/** The server knows who asks, and does not let them. */
export function forbidden(message: string): Refusal {
  const [, kind, scope] = /^This (key|token) does not have the scope "(\w+)"/.exec(message) ?? [];
  if (scope !== undefined) {
    return {
      title: `This needs a key with the scope ${scope}`,
      advice:
        `${uses[scope] ?? ""} Your ${kind} does not have it. Whoever runs the server can make one that does:`.trim(),
      command: makeKey(scope),
      remedy: "sign in",
    };
  }
  if (/^Browser tokens/.test(message)) {
    return {
      title: "This needs a key",
      advice:
        "You are signed in with a token, which reaches one user’s own data. Whoever runs the server can make a key:",
      command: makeKey("read"),
      remedy: "sign in",
    };
  }
  if (/its own user/.test(message)) {
    return {
      title: "This is another user’s",
      advice: "You are signed in with a token, which reaches its own user’s data. To see others, sign in with a key:",
      command: makeKey("read"),
      remedy: "sign in",
    };
  }
  // not about keys: a page of another origin, say
  return { title: "The server does not allow this", advice: message, remedy: "none" };
}
