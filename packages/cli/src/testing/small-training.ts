/** A nearkin.yaml that trains the preset `fast` in a second or two: for tests that need a model, whatever it learned. */
export const SMALL_TRAINING = `
train:
  preset: fast
  model: { hidden: 8, embedding: 6 }
  siamese: { steps: 8, batch: 32, validateEvery: 4 }
  ssl: { steps: 4, batch: 80, inducing: 20, validateEvery: 4, factors: 4 }
  personal: { users: 6, items: 8, others: 20, steps: 2, iterations: 5 }
  behavior: { factors: 0 }
`;
