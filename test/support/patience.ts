// Timeouts of all tests, scaled by one setting. A test names no timeout of its own: these are long enough for the slowest, and only a test that
// fails reaches them.
import { patience } from "../../packages/core/src/testing/patience.ts";

export { patience };

/** Options of a project for Vitest: its timeouts in milliseconds. */
export const timeouts = {
  testTimeout: 180_000 * patience,
  hookTimeout: 300_000 * patience,
  teardownTimeout: 60_000 * patience,
  expect: { poll: { timeout: 30_000 * patience } },
};
