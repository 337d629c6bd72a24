// Reporter for a run that is read by people and by CI: a line for each file, with its failed and slow tests; then everything that was skipped with its
// reason, what tests printed although they must not, and last of all the counts.
import { writeFileSync } from "node:fs";
import type { SerializedError, UserConsoleLog } from "vitest";
import { DefaultReporter, type TestCase, type TestModule, type TestRunEndReason } from "vitest/node";

const MAX_PRINTED_SHOWN = 20;

export default class Reporter extends DefaultReporter {
  readonly #skipped: Set<string>;
  readonly #printed: string[] = [];

  /** `skipped` are lines "SKIPPED: …" about whole projects. */
  constructor(skipped: readonly string[]) {
    super({ summary: false });
    this.#skipped = new Set(skipped);
  }

  /** Keeps what a test printed for the end, and out of the results. A line "SKIPPED: …" says why a file skips tests, and is allowed. */
  override onUserConsoleLog(log: UserConsoleLog): void {
    const task = log.taskId === undefined ? undefined : this.ctx.state.idMap.get(log.taskId);
    for (const line of log.content.split("\n").filter((text) => text.trim() !== "")) {
      if (line.startsWith("SKIPPED: ")) this.#skipped.add(line);
      else this.#printed.push(`${task?.file.name ?? "a setup file"}: ${line}`);
    }
  }

  override onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    super.onTestRunEnd(modules, errors, reason);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state);
    this.#showSkipped(inState("skipped"));
    this.#showPrinted();
    const brokenModules = modules.filter((module) => module.errors().length > 0).length;
    const failed = inState("failed").length + brokenModules + errors.length + (this.#printed.length > 0 ? 1 : 0);
    const counts = `${inState("passed").length} passed, ${failed} failed, ${inState("skipped").length} skipped`;
    const { NEARKIN_TEST_COUNTS: file } = process.env;
    if (file) writeFileSync(file, `${counts}\n`);
    this.log(`\n${counts}`);
  }

  #showSkipped(skipped: readonly TestCase[]): void {
    const counts = new Map<string, number>();
    for (const reason of skipped.map(reasonOf)) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    for (const line of this.#skipped) this.log(line);
    for (const [reason, count] of counts) this.log(`SKIPPED: ${count} × ${reason}`);
  }

  #showPrinted(): void {
    if (this.#printed.length === 0) return;
    process.exitCode = 1;
    this.error("Tests print nothing of their own; capture the output of the product. Printed by:");
    for (const line of this.#printed.slice(0, MAX_PRINTED_SHOWN)) this.error(`  ${line}`);
  }
}

/** The note of a skipped test, or the words behind "skipped:" in its name or in the name of a suite around it, or where it stands. */
function reasonOf(test: TestCase): string {
  const result = test.result();
  if (result.state === "skipped" && result.note) return result.note;
  return (
    /\(skipped: (.+?)\)/.exec(test.fullName)?.[1] ??
    `${test.module.relativeModuleId} › ${test.fullName.split(" > ")[0]}`
  );
}
