// Who asks: a key or a token, kept for this tab alone. Without one the server decides whether it answers.
import { batch, computed, signal } from "@preact/signals";
import { callerOf } from "./credential.ts";

const PLACE = "nearkin.credential";
const JSON_TYPE = { "content-type": "application/json" };

const credential = signal(readStored());

/** What was given at sign-in. */
export const signedIn = computed(() => credential.value !== undefined);

/** The user whose token was given; undefined for all others. */
export const tokenUser = computed(() => {
  const caller = callerOf(credential.value);
  return caller?.kind === "token" ? caller.user : undefined;
});

/** Who looks at the page, as far as it can tell: what one has seen is not for the next. */
export const viewer = computed(() =>
  tokenUser.value === undefined ? (signedIn.value ? "a key" : "nobody") : `the user ${tokenUser.value}`,
);

/** What the server said to the credential that is used now, where it does not take it. */
const refusal = signal<string | undefined>(undefined);

/** Whether the server asks for a key, and has none that it takes. */
export const keyWanted = computed(() => refusal.value !== undefined);

/** Rises with every sign-in and sign-out: what was asked before may be answered otherwise now. */
export const sessionNumber = signal(0);

/** Whether the server has asked for a key, and the dialog is open. */
export const signInAsked = signal(false);

export function askToSignIn(): void {
  signInAsked.value = true;
}

export function signIn(given: string): void {
  signInAsked.value = false;
  begin(given.trim());
}

export function signOut(): void {
  begin(undefined);
}

function begin(given: string | undefined): void {
  batch(() => {
    credential.value = given;
    store(given);
    refusal.value = undefined;
    sessionNumber.value++;
  });
}

/**
 * `fetch` with the credential, which asks for one where the server does. What it has refused it is not shown again: who fails too often is
 * not listened to for a while.
 */
export async function authorizedFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const bearer = credential.peek();
  const refused = refusal.peek();
  if (refused !== undefined) return new Response(refused, { status: 401, headers: JSON_TYPE });
  if (bearer !== undefined) headers.set("authorization", `Bearer ${bearer}`);
  const response = await fetch(input, { ...init, headers });
  if (response.status === 401) {
    const message = await response.clone().text();
    const isFirst = refusal.peek() === undefined; // a later answer must not reopen a dialog that was dismissed
    if (isFirst && bearer === credential.peek()) {
      refusal.value = message;
      askToSignIn();
    }
  }
  return response;
}

function readStored(): string | undefined {
  try {
    const stored = sessionStorage.getItem(PLACE) ?? undefined;
    return callerOf(stored) ? stored : undefined;
  } catch {
    return undefined; // storage is refused: a sign-in lasts until the page is left
  }
}

function store(given: string | undefined): void {
  try {
    if (given === undefined) sessionStorage.removeItem(PLACE);
    else sessionStorage.setItem(PLACE, given);
  } catch {
    // as above
  }
}
