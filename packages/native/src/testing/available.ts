// Whether the suites that need OpenBLAS can run. They never vanish unnoticed.
import { findOpenBlas } from "../library.ts";

/**
 * False, with a line on standard error, where there is no OpenBLAS. Under CI=true, and for a NEARKIN_OPENBLAS that does not
 * load, it throws instead.
 */
export async function openBlasAvailable(
  env: Record<string, string | undefined> = process.env,
  find: typeof findOpenBlas = findOpenBlas,
): Promise<boolean> {
  const report = await find();
  if (report.available) return true;
  const { reason, remedy } = report;
  if (env.NEARKIN_OPENBLAS) throw new Error(`${reason}; ${remedy}`);
  if (env.CI === "true") throw new Error(`CI=true demands the tests of the native engine: ${reason}; ${remedy}`);
  process.stderr.write(`SKIPPED: the native engine; ${reason}; ${remedy}\n`);
  return false;
}
