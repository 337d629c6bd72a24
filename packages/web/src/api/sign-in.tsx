import { useState } from "preact/hooks";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { Field } from "../design/field.tsx";
import { signedIn, signIn, signInAsked } from "./session.ts";

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
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (given.trim()) signIn(given);
      }}
    >
      <p>
        {signedIn.value
          ? "The server does not know this key or token any more, or it has expired."
          : "This server asks for an API key, or for a token that was signed for you."}
      </p>
      <Field label="API key or token" hint="Kept in this tab until you close it or sign out.">
        {(control) => (
          <input
            {...control}
            class="input"
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={given}
            onInput={(event) => setGiven(event.currentTarget.value)}
          />
        )}
      </Field>
      <Button look="primary" type="submit" disabled={given.trim() === ""}>
        Sign in
      </Button>
    </form>
  );
}
