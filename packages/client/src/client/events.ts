// Events and feedback. Every entry has an id before it is sent, so that a batch which is sent again is stored once.
import type { Event, Feedback } from "../contract/types.ts";
import type { AnswerTo, Call } from "./call.ts";
import type { CallOptions } from "./transport.ts";

/** Entries of one request. */
const BATCH = 1000;

export function eventCalls(call: Call) {
  return {
    /** Stores what users did; more than 1,000 events go in several requests, one after the other. */
    async addEvents(events: readonly Event[], using?: CallOptions): Promise<AnswerTo<"POST /v1/events">> {
      let [accepted, duplicates] = [0, 0];
      const unknown = new Set<string>();
      for (const batch of batchesOf(events)) {
        const answer = await call("POST /v1/events", { body: { events: batch } }, using);
        accepted += answer.accepted;
        duplicates += answer.duplicates;
        for (const id of answer.unknownItems) unknown.add(id);
      }
      return { accepted, duplicates, unknownItems: [...unknown] };
    },

    /** Says what became of lists; more than 1,000 entries go in several requests, one after the other. */
    async addFeedback(entries: readonly Feedback[], using?: CallOptions): Promise<AnswerTo<"POST /v1/feedback">> {
      let [accepted, duplicates] = [0, 0];
      for (const batch of batchesOf(entries)) {
        const answer = await call("POST /v1/feedback", { body: { feedback: batch } }, using);
        accepted += answer.accepted;
        duplicates += answer.duplicates;
      }
      return { accepted, duplicates };
    },
  };
}

function* batchesOf<Entry extends { readonly id?: string | undefined }>(entries: readonly Entry[]): Generator<Entry[]> {
  for (let i = 0; i < entries.length; i += BATCH) {
    yield entries.slice(i, i + BATCH).map((entry) => ({ ...entry, id: entry.id ?? newId() }));
  }
}

/** A UUID; pages without https have no `randomUUID`, but chance all the same. */
function newId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
