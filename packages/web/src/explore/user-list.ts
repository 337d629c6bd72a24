// The users, asked for when one first looks for them, and once in a session.
import { client } from "../api/client.ts";
import { problemOf } from "../api/problem.ts";
import { sessionNumber } from "../api/session.ts";
import type { UserList } from "./users.ts";

const MANY = 1000; // users that one page of the API holds

let users: { session: number; known: Promise<UserList | undefined> } | undefined;

/** Undefined where one may not see who they are. What fails for another reason is asked again the next time. */
export function listUsers(): Promise<UserList | undefined> {
  const session = sessionNumber.peek();
  if (users?.session !== session) {
    users = { session, known: client.users.list({ limit: MANY }).catch(unlessRefused) };
  }
  return users.known;
}

function unlessRefused(error: unknown): undefined {
  if (problemOf(error).remedy === "sign in") return undefined;
  users = undefined;
  throw error;
}
