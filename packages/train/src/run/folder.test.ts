import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
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
    expect(readdirSync(root)).toEqual(["m.partial"]);
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
    mkdirSync(at("m.partial"));
    writeFileSync(at("m.partial", "lock"), "999999999");
    RunFolder.open(at("m"))[Symbol.dispose]();
    mkdirSync(at("m.partial"), { recursive: true });
    writeFileSync(at("m.partial", "lock"), "");
    RunFolder.open(at("m"))[Symbol.dispose]();
    expect(existsSync(at("m.partial"))).toBe(false);
  });

  test("a run of the same process is refused as well", () => {
    using _ = RunFolder.open(at("m"));
    expect(() => RunFolder.open(at("m"))).toThrow(`another run (process ${process.pid}) is working on`);
  });

  test("a place that cannot be written to", () => {
    writeFileSync(at("file"), "");
    expect(() => RunFolder.open(at("file", "m"))).toThrow(/cannot be written to/);
    expect(() => RunFolder.open(at("file"))).toThrow(/is no model/);
  });
});
