import { expect, test } from "vitest";
import { type CommandFlags, interruption, StopSignals, trainCommandLine } from "./training-stop.ts";

const plain: CommandFlags = { engine: "auto", policy: "reproducible", checkpoint: 30 };

test("the command that goes on has everything that changes the result, or whether it may run", () => {
  expect(trainCommandLine("data/my films", "m", plain)).toBe("nearkin train 'data/my films' --out m");
  expect(
    trainCommandLine("films", "m", {
      engine: "native",
      policy: "fastest",
      workers: 2,
      preset: "fast",
      config: "a.yaml",
      seed: 0,
      stages: ["siamese", "ssl"],
      from: "old",
      final: true,
      force: true,
      resume: true,
      checkpoint: 5,
      json: true,
    }),
  ).toBe(
    "nearkin train films --out m --preset fast --config a.yaml --seed 0 --from old --stages siamese,ssl --engine native --policy fastest --workers 2 --checkpoint 5 --json --final --force --resume",
  );
});

test("says what is saved, and only that", () => {
  const again = (resume: boolean) => (resume ? "… --resume" : "…");
  expect(
    [
      { out: "m", saved: true },
      { out: "m-split", saved: true },
      { out: "m", saved: false },
      { out: "m", saved: false, finished: "m-split" },
    ].map((standing) => interruption(standing, again).message),
  ).toEqual([
    "stopped; the run is saved in m.partial; go on with: … --resume",
    "stopped; the run is saved in m-split.partial; go on with: … --resume",
    "stopped before the first step, so there is nothing to save; start again with: …",
    "stopped before the first step of the final run; m-split is finished; go on with: … --resume",
  ]);
});

test("the first signal of either kind stops the run, the second is not caught", () => {
  const count = () => process.listenerCount("SIGINT") + process.listenerCount("SIGTERM");
  const before = count();
  {
    using stop = new StopSignals();
    expect(count()).toBe(before + 2);
    process.emit("SIGTERM", "SIGTERM");
    expect(stop.signal.aborted).toBe(true);
    expect(stop.caused(stop.signal.reason)).toBe(true);
    expect(stop.caused(new Error("the disk is full"))).toBe(false);
    expect(count()).toBe(before);
  }
  new StopSignals()[Symbol.dispose]();
  expect(count()).toBe(before);
});
