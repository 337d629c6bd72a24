// A user's weights from one model to another. Weights of two models are not on one scale, but how much more or less than the shared metric a
// channel counts for a user is: h_u/h carries over by the channel's name, and channels that are new count as they do for all.

/** Weights by channel. */
export type NamedWeights = Readonly<Record<string, number>>;

/**
 * (p) The user's weights for channels whose shared weights are `target`.
 *
 * @param own the user's, under the model they were fitted with
 * @param base what all shared under that model
 */
export function carryOver(own: NamedWeights, base: NamedWeights, target: NamedWeights): Float64Array {
  return Float64Array.from(Object.entries(target), ([channel, shared]) => {
    if (!Object.hasOwn(own, channel) || !Object.hasOwn(base, channel)) return shared;
    if (base[channel] === 0) return own[channel] === 0 ? shared : own[channel]; // no ratio: as it was
    return (own[channel] / base[channel]) * shared;
  });
}
