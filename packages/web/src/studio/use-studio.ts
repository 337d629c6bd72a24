// The state of the screen: the draft and its versions, the address that keeps them, and the answers.
import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type Problem, problemOf } from "../api/problem.ts";
import { navigate, path, query, replaceQuery } from "../app/router.ts";
import { modelInBrowser, similarity } from "../engine/engine.ts";
import { printDraft, readDraft, type TextStore } from "./address.ts";
import { alternativesOf } from "./alternatives.ts";
import { byServer, byWorker, readableHere } from "./asked.ts";
import { blank, cellsOf, draftOf, isBlank, type StudioDraft, type Typed } from "./draft.ts";
import type { StudioForm } from "./form.ts";
import { createLive } from "./live.ts";
import { type Refusal, refusalOf } from "./refusal.ts";
import { begin, edit, entitle, pin, undo, type Versions } from "./versions.ts";

const PAUSE = 220; // ms without typing

export type Studio = ReturnType<typeof useStudio>;

export function useStudio(form: StudioForm) {
  const versions = useSignal<Versions>(begin(blank));
  const refusal = useSignal<Refusal | undefined>(undefined);
  /** What could not be begun from. */
  const startProblem = useSignal<Problem | undefined>(undefined);
  /** Channels whose text the address names, and this tab does not have. */
  const lost = useSignal<readonly string[]>([]);
  const draft = useComputed(() => versions.value.now);
  const lists = useMemo(
    () => new Set(form.fields.filter(({ kind }) => kind === "list").map(({ channel }) => channel)),
    [form],
  );
  const channels = useMemo(() => form.fields.map(({ channel }) => channel), [form]);

  const live = useMemo(
    () =>
      createLive({
        pause: PAUSE,
        onRefusal: (error) => {
          refusal.value = refusalOf(error, channels);
          return refusal.value !== undefined;
        },
      }),
    [],
  );
  useEffect(() => () => live.stop(), [live]);

  // the address is the draft: also when one goes back, or follows a link to another
  const written = useMemo(() => ({ search: undefined as string | undefined }), []);
  useSignalEffect(() => {
    const given = query.value;
    if (path.peek() !== "/studio" || String(given) === written.search) return;
    written.search = String(given);
    const read = readDraft(given, lists, tabStore());
    lost.value = read.lost;
    versions.value = begin(read.draft);
    if (read.onlyFrom && read.draft.from !== undefined) void beginFrom(read.draft.from);
  });
  useSignalEffect(() => {
    const search = printDraft(draft.value, tabStore());
    const timer = setTimeout(() => {
      if (search.slice(1) === String(query.peek())) return;
      written.search = search.slice(1);
      replaceQuery(search);
    }, PAUSE);
    return () => clearTimeout(timer);
  });

  useSignalEffect(() => {
    const now = versions.value;
    const here = modelInBrowser.value && byWorker(modelInBrowser.value);
    refusal.value = undefined;
    live.put({
      cells: cellsOf(form, now.now),
      before: now.before && cellsOf(form, now.before),
      alternatives: alternativesOf(form, now),
      by: (cells) => (here && readableHere(form, cells) ? here : byServer),
    });
  });

  /** Another draft has an entry of its own in the history: one can go back to the one before. */
  function start(given: StudioDraft): void {
    startProblem.value = undefined;
    navigate(`/studio${printDraft(given, tabStore())}`);
  }

  async function beginFrom(id: string): Promise<void> {
    try {
      const item = draftOf(form, await similarity.peek().item(id));
      if (query.peek().get("from") === id && isBlank(draft.peek())) versions.value = begin(item);
      else start(item);
    } catch (error) {
      startProblem.value = problemOf(error);
    }
  }

  return {
    form,
    versions,
    draft,
    live,
    refusal,
    startProblem,
    lost,
    start,
    beginFrom,
    type: (channel: string, typed: Typed) => {
      versions.value = edit(versions.peek(), channel, typed);
    },
    entitle: (title: string) => {
      versions.value = entitle(versions.peek(), title);
    },
    pin: () => {
      versions.value = pin(versions.peek());
    },
    undo: () => {
      versions.value = undo(versions.peek());
    },
  };
}

function tabStore(): TextStore | undefined {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined; // refused
  }
}
