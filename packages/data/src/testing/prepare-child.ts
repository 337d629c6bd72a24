// Runs `prepare` in a process of its own, for tests that end it in the middle. The one argument is JSON: config, options, and
// `at`: what to do when an event comes: { type, name, act: "die" | "die soon" | "wait" }.
import { parseConfig } from "../config/parse.ts";
import type { PrepareEvent } from "../prepare/events.ts";
import { type PrepareOptions, prepare } from "../prepare/prepare.ts";

interface Task {
  config: unknown;
  options: PrepareOptions;
  at?: { type: PrepareEvent["type"]; name?: string; act: "die" | "die soon" | "wait" };
}

const { config, options, at } = JSON.parse(process.argv[2]) as Task;

try {
  await prepare(parseConfig(config), { ...options, onEvent });
  process.stdout.write("done\n");
} catch (error) {
  const { code, name, message } = error as Error & { code?: string };
  process.stdout.write(`${code ?? name}: ${message}\n`);
}

function onEvent(event: PrepareEvent): void {
  if (!at || event.type !== at.type || ("name" in event ? event.name : undefined) !== at.name) return;
  if (at.act === "die") die();
  if (at.act === "die soon") setTimeout(die, 1); // in the middle of the step's work
  if (at.act === "wait") {
    process.stdout.write("waiting\n");
    Atomics.wait(
      new Int32Array(new SharedArrayBuffer(4)),
      0,
      0,
      60_000 * Number(process.env.NEARKIN_TEST_PATIENCE ?? 1),
    );
  }
}

function die(): void {
  process.kill(process.pid, "SIGKILL");
}
