// The model that answers, and the colours of its channels.
import type { ModelInfo } from "@nearkin/client";
import { computed, signal } from "@preact/signals";

/** Undefined until the server has said which it is. */
export const activeModel = signal<ModelInfo | undefined>(undefined);

const COLOURS = 8; // that tokens.css has

const places = computed(() => new Map(activeModel.value?.channels.map(({ name }, place) => [name, place])));

/** The colour of a channel, the same on every screen. Beyond eight they begin again. */
export function channelColour(name: string): string {
  const place = places.value.get(name) ?? 0;
  return `var(--channel-${(place % COLOURS) + 1})`;
}
