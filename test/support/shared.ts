// Global setup of a run: a folder that test files of all projects share, so that what is expensive to make is made once
// (packages/cli/src/testing/shared.ts). It is gone when the run ends.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function makeSharedFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "nearkin-tests-"));
  process.env.NEARKIN_TEST_SHARED = folder; // worker processes inherit it
  process.env.NEARKIN_CACHE = join(folder, "cache"); // nothing is left in the user's own
  return () => rmSync(folder, { recursive: true, force: true });
}
