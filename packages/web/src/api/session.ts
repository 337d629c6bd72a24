// Who asks: a key or a token, kept for this tab alone. Without one the server decides whether it answers.
import { computed, signal } from "@preact/signals";

const PLACE = "nearkin.credential";

const credential = signal(readStored());

/** What was given at sign-in. */
export const signedIn = computed(() => credential.value !== undefined);

/** Rises with every sign-in and sign-out: what was asked before may be answered otherwise now. */
export const sessionNumber = signal(0);

/** Whether the server has asked for a key, and the dialog is open. */
export const signInAsked = signal(false);

export function askToSignIn(): void {
  signInAsked.value = true;
}

export function signIn(given: string): void {
  credential.value = given.trim();
  store(credential.value);
  signInAsked.value = false;
  sessionNumber.value++;
}

export function signOut(): void {
  credential.value = undefined;
  store(undefined);
  sessionNumber.value++;
}

/** `fetch` with the credential, which asks for one where the server does. */
export async function authorizedFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const bearer = credential.peek();
  if (bearer !== undefined) headers.set("authorization", `Bearer ${bearer}`);
  const response = await fetch(input, { ...init, headers });
  if (response.status === 401) askToSignIn();
  return response;
}

function readStored(): string | undefined {
  try {
    return sessionStorage.getItem(PLACE) ?? undefined;
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
