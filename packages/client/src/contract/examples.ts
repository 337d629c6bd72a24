// What the examples of several routes have in common: the films of the built-in sample. Figures are made up, but fit together.

export const exampleModel = "9f2c51d07be84a3c6e1d5a80f94b7723c0de4f5566a7b8899aabbccddeeff001";

export const exampleWeights = { genres: 1.02, plot: 0.74, director: 0.51, country: 0.33, year: 0.22 };

export const baseMetric = {
  source: "base",
  weights: exampleWeights,
  popularity: 0,
  reason: "no user was named: the metric that all share",
};

export const theKid = { id: "the-kid-1921", title: "The Kid" };

export const theCircus = {
  id: "the-circus-1928",
  title: "The Circus",
  rank: 1,
  score: -0.94,
  distance: 0.47,
};

export const exampleContributions = [
  {
    channel: "genres",
    distance: 0.25,
    weight: 1,
    contribution: 0.25,
    share: 0.5,
    unknown: null,
    rankWithout: 1,
    pending: false,
  },
  {
    channel: "year",
    distance: 1,
    weight: 0.25,
    contribution: 0.25,
    share: 0.5,
    unknown: null,
    rankWithout: 1,
    pending: false,
  },
];
