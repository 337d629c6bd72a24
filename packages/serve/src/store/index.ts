/** The store by itself, for commands beside a running server: nothing of HTTP is loaded. */

export { KeyRing } from "../access/key-ring.ts";
export { rotateSigningSecret } from "../access/signing.ts";
export type { Activation, ActivationStore } from "./activations.ts";
export { StoreError, type StoreReason } from "./errors.ts";
export type { AddedEvents, EventStore, NewEvent, StoredEvent } from "./events.ts";
export type { FeedbackCount, FeedbackStore, NewFeedback, StoredFeedback } from "./feedback.ts";
export type { Import, ImportBatch, ImportStore } from "./imports.ts";
export type { ItemStore, NewItem, StoredItem } from "./items.ts";
export type { ChannelWeights, MetricStore, StoredMetric, UserMetric } from "./metrics.ts";
export { openStore, type Store, type StoreOptions } from "./store.ts";
