import { spawn } from "node:child_process";
import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RunFolder } from "./folder.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "nearkin-folder-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);
const at = (...names: string[]) => join(root, ...names);

describe("RunFolder", () => {
  test("becomes the model whole, and leaves nothing beside it", () => {
    using folder = RunFolder.open(at("m"));
    folder.writeCheckpoint(bytes("half way"));
    folder.write("model.json", bytes("{}"));
    expect(readdirSync(root)).toEqual(["m.lock", "m.partial"]);
    folder.finish();
    expect(readdirSync(root)).toEqual(["m"]);
    expect(readdirSync(at("m"))).toEqual(["model.json"]);
  });

  test("killed while it is moved into place: the checkpoint is still found", () => {
    mkdirSync(at("m.partial"));
    writeFileSync(at("m.checkpoint"), "half way");
    {
      using folder = RunFolder.open(at("m"));
      expect(new TextDecoder().decode(folder.readCheckpoint())).toBe("half way");
      folder.clear();
      expect(folder.readCheckpoint()).toBeUndefined();
    }
    expect(readdirSync(root)).toEqual([]);
  });

  test("killed between the two renames of a replacement: the old model comes back", () => {
    mkdirSync(at("m"));
    writeFileSync(at("m", "model.json"), "old");
    renameSync(at("m"), at("m.replaced"));
    using folder = RunFolder.open(at("m"), { force: true });
    expect(readFileSync(at("m", "model.json"), "utf8")).toBe("old");
    folder.write("model.json", bytes("new"));
    folder.finish();
    expect(readFileSync(at("m", "model.json"), "utf8")).toBe("new");
    expect(readdirSync(root)).toEqual(["m"]);
  });

  test("the lock of a process that is gone does not count, nor one that was never finished", () => {
    for (const text of [JSON.stringify({ pid: 999999999, started: null, boot: null }), "", "{"]) {
      writeFileSync(at("m.lock"), text);
      RunFolder.open(at("m"))[Symbol.dispose]();
      expect(readdirSync(root)).toEqual([]);
    }
  });

  test("nor one of a process that had this one's number, as in a container that was killed and started again", () => {
    const boot = { boot: null };
    for (const owner of [
      { pid: process.pid, started: null, ...boot },
      { pid: process.pid, started: "1", ...boot },
      { pid: process.ppid, started: "1", ...boot }, // the number of a living one, which began later
      { pid: process.ppid, started: null, boot: "another start of the machine" },
    ].slice(0, existsSync("/proc/self/stat") ? 4 : 1)) {
      writeFileSync(at("m.lock"), JSON.stringify(owner));
      RunFolder.open(at("m"))[Symbol.dispose]();
      expect(existsSync(at("m.lock"))).toBe(false);
    }
  });

  test("that of a living process counts, and is named", () => {
    writeFileSync(at("m.lock"), JSON.stringify({ pid: process.ppid, started: null, boot: null }));
    expect(() => RunFolder.open(at("m"))).toThrow(
      `another run (process ${process.ppid}) is working on ${at("m.partial")}; wait for it, or end it; if there is none, remove ${at("m.lock")}`,
    );
    expect(readdirSync(root)).toEqual(["m.lock"]);
  });

  test("a run of the same process is refused as well, until the first has ended", () => {
    {
      using _ = RunFolder.open(at("m"));
      expect(() => RunFolder.open(at("m"))).toThrow(`another run (process ${process.pid}) is working on`);
      rmSync(at("m.lock")); // by hand
      expect(() => RunFolder.open(at("m"))).toThrow(`another run (process ${process.pid}) is working on`);
    }
    RunFolder.open(at("m"))[Symbol.dispose]();
    expect(readdirSync(root)).toEqual([]);
  });

  test("is locked until the model is in its place", () => {
    const folder = RunFolder.open(at("m"));
    folder.write("model.json", bytes("{}"));
    const seen: string[][] = [];
    const blocker = at("m.replaced"); // removing it is the last thing but one
    mkdirSync(blocker);
    const rename = fs.renameSync;
    const spy = vi.spyOn(fs, "renameSync").mockImplementation((from, to) => {
      rename(from, to);
      seen.push(readdirSync(root).sort());
    });
    syncBuiltinESMExports(); // for modules that import it by name
    try {
      folder.finish();
    } finally {
      spy.mockRestore();
      syncBuiltinESMExports();
    }
    expect(seen.at(-1)).toEqual(["m", "m.lock"]);
    expect(readdirSync(root)).toEqual(["m"]);
  });

  test("many processes at once: one has it, also where a stale lock lies there", async () => {
    const rival = `
      import { rmSync, writeFileSync } from "node:fs";
      import { RunFolder } from ${JSON.stringify(new URL("./folder.ts", import.meta.url).href)};
      const [, root] = process.argv;
      let [had, broken] = [0, 0];
      process.stdout.write("ready\\n");
      process.stdin.once("data", () => {
        for (const end = Date.now() + 1500; Date.now() < end; ) {
          try {
            const folder = RunFolder.open(root + "/m");
            try { writeFileSync(root + "/held", "", { flag: "wx" }); had++; } catch { broken++; }
            rmSync(root + "/held", { force: true });
            if (had % 7 === 0) writeFileSync(root + "/m.lock", had % 2 ? "" : '{"pid":999999999}'); // as if killed
            folder[Symbol.dispose]();
          } catch (error) { if (error.code !== "BUSY") { console.error(error); broken++; } }
        }
        process.stdout.write(had + " " + broken + "\\n");
        process.exit();
      });`;
    const children = Array.from({ length: 3 }, () =>
      spawn(
        process.execPath,
        ["--import", "tsx", "--conditions=@nearkin/source", "--input-type=module", "-e", rival, root],
        { stdio: ["pipe", "pipe", "inherit"] },
      ),
    );
    const lines = children.map((child) => createInterface({ input: child.stdout })[Symbol.asyncIterator]());
    for (const line of lines) expect((await line.next()).value).toBe("ready");
    for (const child of children) child.stdin.write("go\n");
    const counts = await Promise.all(lines.map(async (line) => (await line.next()).value.split(" ").map(Number)));
    const sum = (column: number) => counts.reduce((total, count) => total + count[column], 0);
    expect(sum(0)).toBeGreaterThan(0);
    expect(sum(1)).toBe(0);
  });

  test("a place that cannot be written to", () => {
    writeFileSync(at("file"), "");
    expect(() => RunFolder.open(at("file", "m"))).toThrow(/cannot be written to/);
    expect(() => RunFolder.open(at("file"))).toThrow(/is no model/);
  });

  test.runIf(existsSync("/dev/full"))("a full disk: says where and what to do, and keeps the last checkpoint", () => {
    using folder = RunFolder.open(at("m"));
    folder.writeCheckpoint(bytes("the last one"));
    symlinkSync("/dev/full", at("m.partial", "checkpoint.safetensors.tmp"));
    expect(() => folder.writeCheckpoint(new Uint8Array(2_500_000))).toThrow(
      `${at("m.partial", "checkpoint.safetensors.tmp")}: cannot be written to: ENOSPC: no space left on device, write; make room (2.5 MB for this file) and go on with --resume, or choose another --out`,
    );
    expect(new TextDecoder().decode(folder.readCheckpoint())).toBe("the last one");
    expect(readdirSync(at("m.partial"))).toEqual(["checkpoint.safetensors"]);
  });
});
