// bin/nearkin.js as a clone runs it; test/pack.test.ts runs it as installed.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };

const bin = fileURLToPath(new URL("../bin/nearkin.js", import.meta.url));
const nodeModules = fileURLToPath(new URL("../../../node_modules", import.meta.url));

let folder: string | undefined;

afterEach(() => {
  if (folder) rmSync(folder, { recursive: true });
  folder = undefined;
});

function run(script: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

/** A clone with nothing but the front door and a `src/main.ts` of this text. */
function cloneWith(main: string): string {
  folder = mkdtempSync(join(tmpdir(), "nearkin-bin-"));
  const copy = join(folder, "bin/nearkin.js");
  mkdirSync(dirname(copy));
  cpSync(bin, copy);
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "src/main.ts"), main);
  return folder;
}

test("runs the source of a clone", () => {
  expect(run(bin, "--version")).toEqual({ status: 0, stdout: `${packageJson.version}\n`, stderr: "" });
});

test("packages meet as source", () => {
  const clone = cloneWith(`
    export async function main(args: string[]): Promise<number> {
      console.log(import.meta.resolve("@nearkin/core").endsWith("/packages/core/src/index.ts"));
      return args.length;
    }`);
  symlinkSync(nodeModules, join(clone, "node_modules"));
  expect(run(join(clone, "bin/nearkin.js"), "a", "b")).toEqual({ status: 2, stdout: "true\n", stderr: "" });
});

test("says which command builds missing kernels", () => {
  const clone = cloneWith('export { main } from "./kernels.generated.ts";');
  symlinkSync(nodeModules, join(clone, "node_modules"));
  expect(run(join(clone, "bin/nearkin.js"))).toEqual({
    status: 1,
    stdout: "",
    stderr: "KERNELS_MISSING: the compute kernels are not built yet; run: npm run kernels\n",
  });
});

test("says which command installs missing dependencies", () => {
  expect(run(join(cloneWith(""), "bin/nearkin.js"))).toEqual({
    status: 1,
    stdout: "",
    stderr: "DEPENDENCIES_MISSING: the dependencies are not installed yet; run: npm install\n",
  });
});
