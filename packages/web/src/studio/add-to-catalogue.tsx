import type { PutItem } from "@nearkin/client";
import { useEffect, useState } from "preact/hooks";
import { client } from "../api/client.ts";
import { type Problem, problemOf } from "../api/problem.ts";
import { itemPath } from "../app/routes.ts";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { Field } from "../design/field.tsx";
import { listed } from "../design/numbers.ts";
import { ProblemView } from "../design/problem.tsx";
import { openEngine } from "../engine/engine.ts";
import { contentOf, typedIn } from "./draft.ts";
import { proposedId } from "./item-id.ts";
import { refusalOf } from "./refusal.ts";
import type { Studio } from "./use-studio.ts";

/** Puts the draft into the catalogue, for everyone. */
export function AddToCatalogue({ studio }: { studio: Studio }) {
  const [open, setOpen] = useState(false);
  return (
    <div class="row">
      <Button onClick={() => setOpen(true)}>Add to the catalogue</Button>
      <span class="soft small">For everyone who asks this server. Nothing is trained.</span>
      <Dialog title="Add to the catalogue" open={open} onClose={() => setOpen(false)}>
        <AddForm studio={studio} onClose={() => setOpen(false)} />
      </Dialog>
    </div>
  );
}

function AddForm({ studio, onClose }: { studio: Studio; onClose: () => void }) {
  const draft = studio.draft.value;
  const year = typedIn(draft, "year");
  const [id, setId] = useState(proposedId(draft.title, typeof year === "string" ? year : undefined));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [put, setPut] = useState<PutItem | undefined>(undefined);
  const taken = useTaken(id);
  if (put) return <Added put={put} onClose={onClose} />;

  async function add(): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      setPut(await client.items.putOne(id, contentOf(studio.form, draft)));
      void openEngine().then(studio.live.again); // the model's own files do not have it
    } catch (error) {
      const refusal = refusalOf(
        error,
        studio.form.fields.map(({ channel }) => channel),
      );
      studio.refusal.value = refusal;
      setProblem(refusal ? { ...problemOf(error), title: `${refusal.channel}: ${refusal.message}` } : problemOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <p>
        <b>{draft.title.trim() || "An item without a title"}</b> will be found by everyone who asks this server, from
        the next question on. Texts are encoded in the background: until then they are <i>pending</i>, and the other
        fields are what it is found by.
      </p>
      <Field
        label="Id"
        hint={
          taken ? "An item has this id. It would be replaced." : "What the API calls it. It cannot be changed later."
        }
      >
        {(control) => (
          <input
            {...control}
            class="input"
            type="text"
            required
            maxLength={512}
            autocomplete="off"
            spellcheck={false}
            value={id}
            onInput={(event) => setId(event.currentTarget.value)}
          />
        )}
      </Field>
      {problem && <ProblemView problem={problem} />}
      <div class="row">
        <Button look="primary" type="submit" disabled={busy || id === ""}>
          {taken ? "Replace the item" : "Add"}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}

const SEARCHED = 10; // items like it
const PATIENCE = 250; // ms between a letter of the id and the question whether it is free

/** Whether an item of the catalogue has this id; false while that is not known. */
function useTaken(id: string): boolean {
  const [taken, setTaken] = useState(false);
  useEffect(() => {
    setTaken(false);
    if (id === "") return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      // searched for, not asked for: that there is none is the rule, and no error
      client.items.list({ search: id, limit: SEARCHED }, { signal: stop.signal, retries: 0 }).then(
        ({ items }) => setTaken(items.some((item) => item.id === id)),
        () => {}, // the answer to the put says what is wrong
      );
    }, PATIENCE);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [id]);
  return taken;
}

const LOOK = 1000; // ms between two looks at whether texts are encoded
const LOOKS = 30;

function Added({ put: { id, created, missing, pending: atFirst }, onClose }: { put: PutItem; onClose: () => void }) {
  const [pending, setPending] = useState(atFirst);
  useEffect(() => {
    if (atFirst.length === 0) return;
    let looks = 0;
    const timer = setInterval(() => {
      if (++looks === LOOKS) clearInterval(timer);
      client.items.get(id).then(
        (item) => {
          setPending(item.pending);
          if (item.pending.length === 0) clearInterval(timer);
        },
        () => clearInterval(timer),
      );
    }, LOOK);
    return () => clearInterval(timer);
  }, [id, atFirst]);
  const unknown = missing.map(({ channel }) => channel);
  return (
    <div class="stack" aria-live="polite">
      <p>
        {created ? "Added" : "Replaced"} as <a href={itemPath(id)}>{id}</a>.
      </p>
      {atFirst.length > 0 && (
        <p>
          {pending.length > 0
            ? `${listed(pending)}: pending. Until it is encoded, an average stands in.`
            : "Its texts are encoded. It is found by all of its fields."}
        </p>
      )}
      {unknown.length > 0 && <p class="soft">Not known of it: {listed(unknown)}. An average stands in.</p>}
      <div class="row">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
