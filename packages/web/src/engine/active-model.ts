// The model that answers, and the colours of its channels.
import type { ModelInfo } from "@nearkin/client";
import { computed, signal } from "@preact/signals";

/** Undefined until the server has said which it is. */
export const activeModel = signal<ModelInfo | undefined>(undefined);

/** The model that the server has answered with last: another where somebody has changed it meanwhile. */
export const answeringModel = signal<string | undefined>(undefined);

/** Takes note of who has made an answer. */
export function noting<Answer extends { readonly model: string }>(answer: Answer): Answer {
  answeringModel.value = answer.model;
  return answer;
}

/** Whether a channel says who met an item: of one that nobody met, its content foresees it, and no average stands in. */
export const isForeseen = (name: string): boolean =>
  activeModel.value?.channels.some((channel) => channel.name === name && channel.type === "behavior") ?? false;

const COLOURS = 8; // that tokens.css has

const places = computed(() => new Map(activeModel.value?.channels.map(({ name }, place) => [name, place])));

/** The colour of a channel, the same on every screen. Beyond eight they begin again. */
export function channelColour(name: string): string {
  const place = places.value.get(name) ?? 0;
  return `var(--channel-${(place % COLOURS) + 1})`;
}
