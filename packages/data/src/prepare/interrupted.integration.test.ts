// Runs that end in the middle, meet another run, or find no place to write: there is never half a dataset, and nothing is done twice.
import { type ChildProcess, spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConfigInput } from "../config/schema.ts";
import { type Bundle, bundleProgram } from "../testing/bundle.ts";
import { writeSmallWorld } from "../testing/small-world.ts";
import { World } from "../testing/world.ts";
import type { PrepareEvent } from "./events.ts";

const config: Partial<ConfigInput> = {
  interactions: { files: "ratings.csv", columns: { rating: null } }, // which makes a note, the last event of a run
  items: { files: "items.csv" },
  split: { by: "time", fraction: 0.2 },
  factors: { count: 2 },
  channels: { genres: { type: "categories", column: "genres" }, self: { type: "identity" } },
};

let program: Bundle;
/** Undisturbed runs of the small world: their steps and hashes, by where the tables are. */
const undisturbed = {} as Record<"memory" | "disk", { all: string[]; hashes: Record<string, string> }>;

beforeAll(async () => {
  program = await bundleProgram(new URL("../testing/prepare-child.ts", import.meta.url));
  using world = smallWorld();
  for (const tables of ["memory", "disk"] as const) {
    const { ran } = await steps(world, { out: `${tables}/out`, tables });
    undisturbed[tables] = { all: ran, hashes: world.hashes(`${tables}/out`) };
  }
});
afterAll(() => program[Symbol.dispose]());

function smallWorld(): World {
  const world = new World();
  writeSmallWorld(world);
  return world;
}

interface ChildOptions {
  at?: object;
  tables?: "memory" | "disk";
  /** Blocks a file may have. */
  limit?: number;
}

/** Starts `prepare` in another process. */
function startChild(world: World, out: string, { at, tables = "disk", limit }: ChildOptions = {}): ChildProcess {
  const options = { folder: world.folder, threads: 1, memory: 256 * 2 ** 20, tables, out: world.path(out) };
  const node = [process.execPath, program.path, JSON.stringify({ config, options, at })];
  const [command, ...args] =
    limit === undefined ? node : ["sh", "-c", `trap '' XFSZ; ulimit -f ${limit}; exec "$@"`, "sh", ...node];
  return spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, NODE_OPTIONS: "" } });
}

/** Prepares in this process up to a step, and leaves the partial folder. */
async function stopAfter(world: World, name: string, options: Parameters<World["prepare"]>[1]): Promise<void> {
  const controller = new AbortController();
  const onEvent = (event: PrepareEvent) => {
    if (event.type === "done" && event.name === name) controller.abort();
  };
  const run = world.prepare(config, { tables: "disk", ...options, onEvent, signal: controller.signal });
  expect(await world.failure(run)).toMatch(/abort/i);
}

async function ending(child: ChildProcess): Promise<{ signal: string | null; output: string }> {
  let output = "";
  child.stdout?.on("data", (piece) => {
    output += piece;
  });
  return new Promise((resolve) => child.on("close", (_, signal) => resolve({ signal, output })));
}

/** Prepares and tells which steps ran and which were kept. */
async function steps(world: World, options: Parameters<World["prepare"]>[1], changed: Partial<ConfigInput> = {}) {
  const ran: string[] = [];
  const kept: string[] = [];
  const onEvent = (event: PrepareEvent) => {
    if (event.type === "done") (event.kept ? kept : ran).push(event.name);
  };
  await world.prepare({ ...config, ...changed }, { tables: "disk", ...options, onEvent });
  return { ran, kept };
}

describe("a run that is killed", () => {
  test.each([
    ["before the first step", { type: "step", name: "interactions", act: "die" }],
    ["while it reads interactions", { type: "step", name: "interactions", act: "die soon" }],
    ["behind the split", { type: "done", name: "split", act: "die" }],
    ["while it writes tables", { type: "step", name: "tables", act: "die soon" }],
    ["before a channel", { type: "step", name: "channel genres", act: "die" }],
    ["behind the last step", { type: "done", name: "rejects", act: "die" }],
  ])("%s leaves no dataset, and resume finishes to the same bytes without doing a step twice", async (_, at) => {
    using world = smallWorld();
    const { all, hashes } = undisturbed.disk;
    const { signal } = await ending(startChild(world, "killed/out", { at }));
    expect(signal).toBe("SIGKILL");
    expect(readdirSync(world.path("killed"))).toEqual(["out.partial"]);
    const { ran, kept } = await steps(world, { out: "killed/out", resume: true });
    expect([...kept, ...ran]).toEqual(all);
    const reached = all.indexOf(at.name) + (at.type === "done" ? 1 : 0);
    expect(kept.slice(0, reached)).toEqual(all.slice(0, reached));
    if (at.act === "die") expect(kept.length).toBe(reached);
    expect(world.hashes("killed/out")).toEqual(hashes);
    expect(readdirSync(world.path("killed"))).toEqual(["out"]);
  });

  test("when only the last rename is left finishes to the same bytes", async () => {
    using world = smallWorld();
    const { all, hashes } = undisturbed.disk;
    await ending(startChild(world, "killed/out", { at: { type: "note", act: "die" } }));
    expect(readdirSync(world.path("killed"))).toEqual(["out.partial"]);
    expect(existsSync(world.path("killed/out.partial/dataset.json"))).toBe(true);
    const { kept } = await steps(world, { out: "killed/out", resume: true });
    expect(kept).toEqual(all);
    expect(world.hashes("killed/out")).toEqual(hashes);
  });

  test("whose tables were in memory makes them again, but not factors and channels, to the same bytes", async () => {
    using world = smallWorld();
    const { all, hashes } = undisturbed.memory;
    const at = { type: "step", name: "channel self", act: "die" };
    const { signal } = await ending(startChild(world, "killed/out", { at, tables: "memory" }));
    expect(signal).toBe("SIGKILL");
    expect(readdirSync(world.path("killed"))).toEqual(["out.partial"]);
    const { ran, kept } = await steps(world, { out: "killed/out", resume: true, tables: "memory" });
    expect(kept).toEqual(["factors", "channel genres"]);
    expect(ran).toEqual(all.filter((name) => !kept.includes(name)));
    expect(world.hashes("killed/out")).toEqual(hashes);
  });

  test("in memory is finished by a run on disk, and the other way round", async () => {
    using world = smallWorld();
    for (const [first, second] of [
      ["memory", "disk"],
      ["disk", "memory"],
    ] as const) {
      await stopAfter(world, "channel genres", { out: `${first}/out`, tables: first });
      await steps(world, { out: `${first}/out`, resume: true, tables: second });
      expect(world.hashes(`${first}/out`)).toEqual(undisturbed[second].hashes);
    }
  });

  test("is not resumed by itself: without resume everything is done again, over what was left", async () => {
    using world = smallWorld();
    await stopAfter(world, "split", { out: "stopped/out" });
    const { kept } = await steps(world, { out: "stopped/out" });
    expect(kept).toEqual([]);
    expect(world.hashes("stopped/out")).toEqual(undisturbed.disk.hashes);
  });

  test("is not resumed for other settings or other files", async () => {
    using world = smallWorld();
    await stopAfter(world, "split", {});
    const failure = (changed: Partial<ConfigInput>) =>
      world.failure(world.prepare({ ...config, ...changed }, { resume: true }));
    expect(await failure({ seed: 2 })).toMatchInlineSnapshot(
      `"BAD_ARGUMENT: <folder>/out.partial was left by a run with other files, settings or versions and cannot be resumed; run without --resume to start over"`,
    );
    const times = [new Date(), new Date(Date.now() + 5000)] as const;
    appendFileSync(world.path("ratings.csv"), "U,é,3,600\n");
    utimesSync(world.path("ratings.csv"), ...times);
    expect(await failure({})).toBe(await failure({ seed: 2 }));
    expect(existsSync(world.path("out"))).toBe(false);
    await world.prepare(config); // starts over
  });

  test("resume without anything to resume is a run like any other", async () => {
    using world = smallWorld();
    const { kept } = await steps(world, { resume: true });
    expect(kept).toEqual([]);
  });
});

describe("a dataset that is there", () => {
  test("is not replaced unless force says so, and is not touched", async () => {
    using world = smallWorld();
    await world.prepare(config);
    const before = world.hashes();
    expect(await world.failure(world.prepare({ ...config, seed: 2 }))).toMatchInlineSnapshot(
      `"DATASET_EXISTS: <folder>/out is already there; choose another --out, or replace it with --force"`,
    );
    expect(world.hashes()).toEqual(before);
    expect(readdirSync(world.folder).sort()).toEqual(["items.csv", "out", "ratings.csv"]);
  });

  test("is replaced at the very end: until then the old one is whole, and nothing else is left behind", async () => {
    using world = smallWorld();
    await world.prepare(config);
    const before = world.hashes();
    let seen = 0;
    const onEvent = (event: PrepareEvent) => {
      if (event.type !== "done") return;
      expect(world.hashes()).toEqual(before);
      seen++;
    };
    await world.prepare({ ...config, split: { by: "none" } }, { force: true, onEvent });
    expect(seen).toBeGreaterThan(10);
    expect(world.hashes()).not.toEqual(before);
    expect(JSON.parse(readFileSync(world.path("out", "dataset.json"), "utf8")).config.split.by).toBe("none");
    expect(readdirSync(world.folder).sort()).toEqual(["items.csv", "out", "ratings.csv"]);
  });

  test("survives a forced run that fails", async () => {
    using world = smallWorld();
    await world.prepare(config);
    const before = world.hashes();
    const changed = { ...config, channels: { title: { type: "number" as const, column: "title" } } };
    expect(await world.failure(world.prepare(changed, { force: true }))).toMatch(/^BAD_SOURCE/);
    expect(world.hashes()).toEqual(before);
  });
});

describe("another run on the same folder", () => {
  test.each(["memory", "disk"] as const)(
    "in another process, with its tables in %s, is left alone: BUSY",
    async (tables) => {
      using world = smallWorld();
      const child = startChild(world, "out", { tables, at: { type: "step", name: "training", act: "wait" } });
      const ended = ending(child);
      await Promise.race([new Promise((resolve) => child.stdout?.once("data", resolve)), ended]);
      try {
        expect(await world.failure(world.prepare(config))).toMatchInlineSnapshot(
          `"BUSY: another process is working on <folder>/out.partial/work/steps.duckdb; wait for it, or end it"`,
        );
        expect(await world.failure(world.prepare(config, { resume: true }))).toBe(
          await world.failure(world.prepare(config)),
        );
      } finally {
        child.kill("SIGKILL");
        await ended;
      }
      const { kept } = await steps(world, { resume: true, tables });
      if (tables === "disk") expect(kept).toContain("split"); // nothing of it was lost
    },
  );

  test("in the same process is left alone too", async () => {
    using world = smallWorld();
    const both = await Promise.allSettled([world.prepare(config), world.prepare(config)]);
    const lost = both.filter((result) => result.status === "rejected");
    expect(lost.map(({ reason }) => reason.code)).toEqual(["BUSY"]);
    expect(world.hashes()).toEqual(undisturbed.disk.hashes);
  });
});

test("a signal ends the run at the next step, and resume goes on from there", async () => {
  using world = smallWorld();
  await stopAfter(world, "deduplicate", {});
  expect(existsSync(world.path("out"))).toBe(false);
  const { kept } = await steps(world, { resume: true });
  expect(kept.at(-1)).toBe("deduplicate");
});

describe("places that cannot be written to", () => {
  test("under a file", async () => {
    using world = smallWorld();
    expect(await world.failure(world.prepare(config, { out: "ratings.csv/out" }))).toMatchInlineSnapshot(
      `"BAD_ARGUMENT: <folder>/ratings.csv/out cannot be written: ENOTDIR: not a directory, unlink '<folder>/ratings.csv/out.partial'; make room, or choose another --out"`,
    );
  });

  test.skipIf(process.platform === "win32")("in a folder without permission", async () => {
    using world = smallWorld();
    mkdirSync(world.path("locked"));
    chmodSync(world.folder, 0o777);
    chmodSync(world.path("locked"), 0o555);
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65534); // nothing is locked for root
    try {
      expect(await world.failure(world.prepare(config, { out: "locked/out" }))).toMatchInlineSnapshot(
        `"BAD_ARGUMENT: <folder>/locked/out cannot be written: EACCES: permission denied, mkdir '<folder>/locked/out.partial'; make room, or choose another --out"`,
      );
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(world.path("locked"), 0o755);
    }
  });

  test.skipIf(process.platform === "win32")("on a disk that is full", async () => {
    using world = smallWorld();
    const { output } = await ending(startChild(world, "out", { limit: 8 })); // blocks of 512 or 1,024 bytes
    expect(output.replaceAll(world.folder, "<folder>")).toMatchInlineSnapshot(`
      "BAD_ARGUMENT: <folder>/out cannot be written: IO Error: Could not write file "<folder>/out.partial/work/steps.duckdb": File too large; make room, or choose another --out
      "
    `);
    expect(existsSync(world.path("out"))).toBe(false);
    await world.prepare(config);
  });

  test("a file where the partial folder goes is said so", async () => {
    using world = smallWorld();
    writeFileSync(world.path("out.partial"), "mine");
    const failure = await world.failure(world.prepare(config));
    expect(failure).toMatchInlineSnapshot(
      `"BAD_ARGUMENT: <folder>/out.partial is in the way, and no run has left it; move it, or choose another --out"`,
    );
    expect(readFileSync(world.path("out.partial"), "utf8")).toBe("mine");
  });
});
