import { useState } from "preact/hooks";
import { client } from "../api/client.ts";
import { type Problem, problemOf } from "../api/problem.ts";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { Field } from "../design/field.tsx";
import { ProblemView } from "../design/problem.tsx";
import { learned } from "./learning.ts";
import { isSameMetric, planSave, requestsOf, save } from "./save.ts";
import { notes, put, say } from "./you-state.ts";

/** Asks for a name, says what would be sent, and sends it when that is wanted. */
export function SaveDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog title="Save to the server" open={open} onClose={onClose}>
      <SaveForm onClose={onClose} />
    </Dialog>
  );
}

type Step =
  | { readonly at: "asking" }
  | { readonly at: "sending" }
  | { readonly at: "taken" }
  | { readonly at: "failed"; readonly problem: Problem }
  | { readonly at: "saved"; readonly words: string };

function SaveForm({ onClose }: { onClose: () => void }) {
  const [user, setUser] = useState(notes.peek().saved?.user ?? "");
  const [step, setStep] = useState<Step>({ at: "asking" });
  const name = user.trim();

  async function send(shareName: boolean): Promise<void> {
    setStep({ at: "sending" });
    try {
      const outcome = await save(client, notes.peek(), name, { now: Date.now(), shareName });
      if (outcome.state === "taken") return setStep({ at: "taken" });
      put({ ...notes.peek(), saved: outcome.notes.saved });
      const words = savedWords(outcome.metric?.weights);
      say(words);
      setStep({ at: "saved", words });
    } catch (error) {
      setStep({ at: "failed", problem: problemOf(error) });
    }
  }

  if (step.at === "saved") {
    return (
      <div class="stack">
        <p>{step.words}</p>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    );
  }
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (name !== "") void send(step.at === "taken");
      }}
    >
      <Field
        label="Your name at the server"
        hint="Any id, such as “ann”. Lists asked for with this user then go by your metric."
      >
        {(control) => (
          <input
            {...control}
            class="input"
            type="text"
            autocomplete="off"
            spellcheck={false}
            maxLength={512}
            value={user}
            onInput={(event) => {
              setUser(event.currentTarget.value);
              setStep({ at: "asking" });
            }}
          />
        )}
      </Field>
      {name !== "" && (
        <div class="small">
          <p>Pressing the button sends, to {location.host} and nowhere else:</p>
          <ul class="save-requests">
            {requestsOf(planSave(notes.value, name)).map((request) => (
              <li key={request}>{request}</li>
            ))}
          </ul>
        </div>
      )}
      {step.at === "taken" && (
        <p class="data-caution small" role="alert">
          The server already knows “{name}”, and not from here. Your ratings would be added to what it has, and deleting
          yours would delete that too. Choose another name unless this is you.
        </p>
      )}
      {step.at === "failed" && <ProblemView problem={step.problem} />}
      <Button look="primary" type="submit" disabled={name === "" || step.at === "sending"}>
        {step.at === "sending" ? "Sending …" : step.at === "taken" ? `Save as “${name}” all the same` : "Save"}
      </Button>
    </form>
  );
}

function savedWords(weights: Readonly<Record<string, number>> | undefined): string {
  const own = learned.peek()?.metric.weights;
  if (!weights) return "Saved. The server's model fits no metrics: it has your ratings alone.";
  if (own && isSameMetric(own, weights)) return "Saved. The server learned the same weights from your ratings.";
  return "Saved. The server's weights differ from those here: it has other events under this name, or another model.";
}
