import { useState } from "preact/hooks";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { Field } from "../design/field.tsx";
import { problemWith } from "./check-credential.ts";
import { makeKey } from "./refused.ts";
import { keyWanted, signedIn, signIn, signInAsked } from "./session.ts";
import "./sign-in.css";

/** Asks for a key or a token when the server does. */
export function SignIn() {
  return (
    <Dialog title="Sign in" open={signInAsked.value} onClose={() => (signInAsked.value = false)}>
      <SignInForm />
    </Dialog>
  );
}

function SignInForm() {
  const [given, setGiven] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | undefined>(undefined);

  async function send(): Promise<void> {
    setBusy(true);
    const problem = await problemWith(given.trim());
    setBusy(false);
    setError(problem);
    if (problem === undefined) signIn(given);
  }

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (given.trim() && !busy) void send();
      }}
    >
      <p>{reason()}</p>
      <Field label="API key or token" hint="Kept in this tab until you close it or sign out." error={error}>
        {(control) => (
          <input
            {...control}
            class="input"
            type="password"
            autocomplete="off"
            spellcheck={false}
            placeholder="nk_… or nt_…"
            value={given}
            onInput={(event) => {
              setGiven(event.currentTarget.value);
              setError(undefined);
            }}
          />
        )}
      </Field>
      <Button look="primary" type="submit" disabled={given.trim() === "" || busy}>
        Sign in
      </Button>
      <Origins />
    </form>
  );
}

function reason(): string {
  if (!signedIn.value) return "This server asks for an API key, or for a token that was signed for you.";
  return keyWanted.value
    ? "The server does not know your key or token any more: it has expired, or was revoked."
    : "You are signed in. Another key or token takes the place of yours.";
}

const scopes: readonly (readonly [string, string])[] = [
  ["read", "to look at everything but who the users are"],
  ["read,events", "to store ratings of users, too"],
  ["admin", "to choose among users, add items and change models"],
];

/** Where keys and tokens come from. */
function Origins() {
  return (
    <details class="origins small">
      <summary>Where to get one</summary>
      <div class="origins-body">
        <p>Whoever runs the server makes keys in a terminal, with its store:</p>
        <dl>
          {scopes.map(([scope, use]) => (
            <div key={scope}>
              <dt>
                <code>{makeKey(scope)}</code>
              </dt>
              <dd class="soft">{use}</dd>
            </div>
          ))}
        </dl>
        <p>
          A token is for one user’s browser. A server that knows who is logged in signs it with{" "}
          <code>POST /v1/tokens</code>.
        </p>
      </div>
    </details>
  );
}
