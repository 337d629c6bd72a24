import { useRef, useState } from "preact/hooks";
import { client } from "../api/client.ts";
import { type Problem, problemOf } from "../api/problem.ts";
import { Button } from "../design/button.tsx";
import { moment } from "../design/numbers.ts";
import { ProblemView } from "../design/problem.tsx";
import { saveFile } from "./files.ts";
import { merge, NOTHING, unsavedOf } from "./notes.ts";
import { exportNotes, readNotes } from "./notes-file.ts";
import { asideText, dropAside } from "./notes-store.ts";
import { SaveDialog } from "./save-dialog.tsx";
import { change, done, found, notes, put, say, storage } from "./you-state.ts";
import "./data-card.css";

/** Where the ratings are, and what can be done with them. */
export function DataCard() {
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const chooser = useRef<HTMLInputElement>(null);
  const { ratings, skipped, saved } = notes.value;
  const isEmpty = ratings.length === 0 && skipped.length === 0;

  /** Here at once; at the server where it was saved, and until that is done it is not forgotten that it was. */
  async function deleteAll(): Promise<void> {
    setProblem(undefined);
    dropAside(storage);
    found.value = { kind: "fine" }; // from here on it may be written over
    if (isEmpty) put(notes.peek());
    else change({ ...NOTHING, saved }, "Deleted everything on this device.");
    if (!saved) return;
    try {
      await client.users.delete(saved.user);
      put({ ...notes.peek(), saved: null });
      const last = done.peek();
      if (last)
        done.value = { said: `Deleted everything, also at the server.`, before: { ...last.before, saved: null } };
      say("Deleted everything, also at the server.");
    } catch (error) {
      setProblem(problemOf(error));
    }
  }

  async function importFile(file: File): Promise<void> {
    const read = readNotes(await file.text().catch(() => "")); // taken away meanwhile: as good as empty
    setProblem(undefined);
    if (read.state !== "read") {
      const advice =
        read.state === "later"
          ? "Reload this page to update it, then try again."
          : "Choose a file that was exported here.";
      const reason = read.state === "later" ? "a later version of this page wrote it" : read.reason;
      setProblem({ title: `${file.name} cannot be read: ${reason}`, advice, remedy: "none", code: "BAD_FILE" });
      return;
    }
    const left = read.left > 0 ? ` ${read.left} could not be read.` : "";
    change(merge(notes.peek(), read.notes), `Read ${read.notes.ratings.length} ratings.${left}`);
  }

  return (
    <section class="card data" id="data" aria-labelledby="data-title">
      <h2 id="data-title">Yours alone</h2>
      <Whereabouts />
      <div class="row">
        <Button onClick={() => setSaving(true)} disabled={ratings.length === 0}>
          Save to the server …
        </Button>
        <Button onClick={() => saveFile("nearkin-ratings.json", exportNotes(notes.peek()))} disabled={isEmpty}>
          Export
        </Button>
        <Button onClick={() => chooser.current?.click()}>Import</Button>
        <Button
          look="danger"
          onClick={() => void deleteAll()}
          disabled={isEmpty && !saved && found.value.kind !== "stuck"}
        >
          {isEmpty && saved ? "Delete at the server" : "Delete everything"}
        </Button>
      </div>
      <input
        ref={chooser}
        class="unseen"
        type="file"
        accept="application/json,.json"
        aria-label="A file of ratings"
        tabIndex={-1}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = "";
          if (file) void importFile(file);
        }}
      />
      {problem && <ProblemView problem={problem} onRetry={saved ? () => void deleteAll() : undefined} />}
      <SaveDialog open={saving} onClose={() => setSaving(false)} />
    </section>
  );
}

/** Plain words on where the ratings are, and what is wrong with their place. */
function Whereabouts() {
  const { ratings, saved } = notes.value;
  const { ratings: fresh, takenBack } = unsavedOf(notes.value);
  const count = fresh.length + takenBack.length;
  const state = found.value;
  const aside = state.kind === "aside" || state.kind === "partly" ? asideText(storage) : null;
  return (
    <div class="data-words small">
      {saved === null ? (
        <p>
          Your ratings and what is learned from them are in this browser and nowhere else. Only “Save to the server”
          would send something, and says what before it does.
        </p>
      ) : (
        <p>
          {ratings.length === 0
            ? `Nothing is left on this device, but the server may still have what you saved as “${saved.user}”.`
            : `Saved to the server as “${saved.user}”, ${moment(saved.time)}. ${count === 0 ? "Nothing has changed since." : `${count} ${count === 1 ? "change" : "changes"} since then ${count === 1 ? "is" : "are"} on this device alone.`} “Delete everything” deletes there too.`}
        </p>
      )}
      {state.kind === "refused" && (
        <p class="data-caution">
          This browser stores nothing for this page: ratings last until you leave it. Export them to keep them.
        </p>
      )}
      {state.kind === "stuck" && (
        <p class="data-caution">
          What was stored could not be read, and there is no room to put it aside. It is left as it is: ratings last
          until you leave this page. Export them to keep them.
        </p>
      )}
      {state.kind === "partly" && (
        <p class="data-caution">
          {state.left} stored {state.left === 1 ? "rating" : "ratings"} could not be read.
        </p>
      )}
      {state.kind === "aside" && <p class="data-caution">What was stored could not be read: {state.reason}.</p>}
      {aside !== null && (
        <p>
          <Button look="plain" onClick={() => saveFile("nearkin-ratings-unread.json", aside)}>
            Download it as it was
          </Button>
        </p>
      )}
    </div>
  );
}
