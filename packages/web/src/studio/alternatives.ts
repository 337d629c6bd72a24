// What to ask besides the draft itself: what would stand there without each field, and with each edit undone.
import { cellsOf, filled, type StudioDraft, typedIn, withValue } from "./draft.ts";
import type { StudioForm } from "./form.ts";
import type { Alternative } from "./live.ts";
import { changed, type Versions } from "./versions.ts";

const MOST = 8; // questions after a pause

/** Edits first: who has just made one wants to know. A field alone has nothing without it. */
export function alternativesOf(form: StudioForm, versions: Versions): Alternative[] {
  const { now, before } = versions;
  const given = filled(form, now);
  const edited = new Set(changed(versions));
  const undone = form.fields
    .filter(({ channel }) => edited.has(channel))
    // what was empty before is the same as without it
    .filter(({ channel }) => before !== undefined && typedIn(before, channel) !== undefined)
    .map(({ channel }) =>
      alternative("undone", channel, withValue(now, channel, typedIn(before as StudioDraft, channel))),
    );
  const without =
    given.length < 2
      ? []
      : given.map(({ channel }) => alternative("without", channel, withValue(now, channel, undefined)));
  return [...undone, ...without].slice(0, MOST);

  function alternative(kind: Alternative["kind"], channel: string, draft: StudioDraft): Alternative {
    return { kind, channel, cells: cellsOf(form, draft) };
  }
}
