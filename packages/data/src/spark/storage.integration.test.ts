import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Storage } from "./storage.ts";

test.each(["", "/folder"])("a file is no storage%s", (below) => {
  const at = `${fileURLToPath(import.meta.url)}${below}`;
  expect(() => new Storage({ at, local: "", conf: [] }).path("staged/items.parquet")).toThrow(
    `--storage: ${at} is, or lies in, a file; name a folder to write to`,
  );
});

test("a folder that another process is at work in is left alone, until that one has ended", async () => {
  const at = mkdtempSync(join(tmpdir(), "nearkin-storage-"));
  const program = `
    import { Storage } from ${JSON.stringify(new URL("storage.ts", import.meta.url).href)};
    await new Storage({ at: ${JSON.stringify(at)}, local: "", conf: [] }).hold();
    console.log("held");
    setInterval(() => {}, 1000);`;
  const args = ["--import", import.meta.resolve("tsx"), "--conditions=@nearkin/source"];
  const other = spawn(process.execPath, [...args, "--input-type=module", "--eval", program]);
  try {
    await once(other.stdout, "data");
    const storage = new Storage({ at, local: "", conf: [] });
    await expect(storage.hold()).rejects.toMatchObject({
      code: "BUSY",
      message: `--storage: another run is at work in ${at}; wait for it, or name another`,
    });
    other.kill("SIGKILL");
    await once(other, "exit");
    await using held = await storage.hold();
    expect(held).toBeDefined();
  } finally {
    other.kill("SIGKILL");
    rmSync(at, { recursive: true });
  }
});
