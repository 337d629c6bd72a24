// Every number the simulated world is built from. docs/sample.md states the formulas they enter, by the same symbols.

/** What films are compared by, in the order of every weight vector of the sample. */
export const CHANNELS = ["genres", "plot", "director", "country", "year"] as const;
export type Channel = (typeof CHANNELS)[number];
export type ChannelWeights = Record<Channel, number>;

const DAY = 86_400; // s

export const PARAMETERS = {
  userCount: 640,
  /** First and last midnight, UTC, in seconds: 2015-01-01 and 2025-01-01. */
  opening: 1_420_070_400,
  closing: 1_735_689_600,

  distance: {
    /** τ of d_year, in years. */
    yearScale: 15,
    /** Times the Gram matrix of the plots is squared. */
    plotSquarings: 3,
  },

  taste: {
    /** h: how much each channel counts for the average user. */
    baseWeights: { genres: 1, plot: 0.75, director: 0.55, country: 0.36, year: 0.2 } satisfies ChannelWeights,
    /** s of h_u = h ∘ exp(s·N(0, 1)). */
    weightSpread: 0.9,
    /** v: variance of the taste that is a user's own. */
    personalVariance: 0.8,
    /** v₀: variance of the taste made of archetypes. */
    sharedVariance: 0.2,
    /** Draws of common taste that users mix. */
    archetypeCount: 6,
    /** Added to the diagonal of the kernels, relative to it: identical films would be singular. */
    jitter: 1e-6,
  },

  rating: {
    /** μ: below the mean of the ratings that are given, since people choose what they like. */
    mean: 3.12,
    /** Standard deviations of the film's quality, the user's offset, and the noise. */
    quality: 0.3,
    userOffset: 0.3,
    noise: 0.3,
  },

  popularity: {
    /** Standard deviation of log π. */
    spread: 1.8,
    /** Correlation of log π with quality. */
    quality: 0.4,
    /** Growth of log π per year of production. */
    yearSlope: 0.012,
    /** π ← π / (1 + π / most): the best known films are known to many, not to all. */
    most: 6,
  },

  choice: {
    /** b: how much more often a film is chosen per star of affinity. */
    affinity: 0.8,
    /** T: temperature of the distance to the films just seen. */
    temperature: 0.5,
    /** ρ: weight of the film before the last, relative to the last. */
    memory: 0.4,
    /** Films remembered within an evening. */
    memoryLength: 3,
    /** φ and its decay: how much more a film is chosen when it has just been added. */
    freshness: 6,
    freshnessDecay: 90 * DAY,
  },

  catalogue: {
    /** Share of the films that are there at the opening. */
    openingShare: 2 / 3,
    /** Quiet time after the opening and before the closing in which no film is added. */
    firstArrival: 45 * DAY,
    lastArrival: 60 * DAY,
  },

  activity: {
    /** Ratings per user: exp(N(mean, spread²)) within the bounds. */
    logMean: 4.25,
    logSpread: 0.6,
    least: 20,
    most: 250,
    /** Ratings of an evening: 2 + an exponential number, at most `eveningMost`. */
    eveningMean: 4,
    eveningMost: 14,
    /** Days between evenings: 1 + exponential, whose mean is exp(N(log gap, spread²)) by user. */
    gap: 28,
    gapSpread: 0.5,
    /** Share of the users who are still active at the closing. */
    current: 0.15,
  },
} as const;

export type Parameters = typeof PARAMETERS;
