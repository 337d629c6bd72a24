import { loaded } from "../api/loaded.ts";
import { similarity } from "../engine/engine.ts";
import { type StudioDraft, typedIn } from "./draft.ts";
import { examplesFor, mixOf } from "./examples.ts";
import type { StudioForm } from "./form.ts";
import type { Studio } from "./use-studio.ts";
import "./example-drafts.css";

/** Where nothing is described yet: drafts to begin with. */
export function ExampleDrafts({ studio: { form, start } }: { studio: Studio }) {
  return (
    <section class="examples" aria-labelledby="examples">
      <div>
        <h2 id="examples">Start from an example</h2>
        <p class="soft">
          Or fill in a field. The closest items, the reasons, and the rating it can expect appear here as you type.
        </p>
      </div>
      <ul>
        {draftsFor(form).map((draft) => (
          <li key={draft.title}>
            <button type="button" class="example" onClick={() => start(draft)}>
              <span class="example-title">{draft.title}</span>
              <span class="soft small">{wordsOf(form, draft)}</span>
              <span class="example-text small">{textOf(form, draft)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function draftsFor(form: StudioForm): StudioDraft[] {
  const shelves = loaded("studio shelves", () => similarity.peek().shelves()).value;
  const items = shelves.state === "ready" ? shelves.value.items : [];
  // far apart on the shelf, so that they are not of a kind
  const mixed = items.length > 1 ? [mixOf(form, items[items.length - 1], items[0])] : [];
  return [...examplesFor(form), ...mixed];
}

/** "2031 · Science Fiction, Thriller" */
function wordsOf({ fields }: StudioForm, draft: StudioDraft): string {
  const figures = fields.flatMap(({ kind, channel }) =>
    kind === "number" || kind === "date" ? [typedIn(draft, channel) ?? ""] : [],
  );
  const [list] = fields.filter(({ kind }) => kind === "list").map(({ channel }) => typedIn(draft, channel) ?? []);
  return [...figures, [list ?? []].flat().join(", ")].filter((part) => part !== "").join(" · ");
}

function textOf({ fields }: StudioForm, draft: StudioDraft): string {
  const text = fields.find(({ kind }) => kind === "text");
  return text ? String(typedIn(draft, text.channel) ?? "") : "";
}
