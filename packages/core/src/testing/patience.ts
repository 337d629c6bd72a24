/**
 * Factor on every timeout of the tests, from NEARKIN_TEST_PATIENCE: 4 waits four times as long for everything, for a machine that is busy.
 * A browser has no such variable, and its tests no timeouts of their own.
 * @default 1
 */
export const patience = readPatience(globalThis.process?.env.NEARKIN_TEST_PATIENCE);

function readPatience(text = "1"): number {
  const factor = Number(text);
  if (text.trim() === "" || !(factor >= 1 && factor <= 100)) {
    throw new Error(`NEARKIN_TEST_PATIENCE: expected a factor from 1 to 100, got "${text.slice(0, 80)}"`);
  }
  return factor;
}
