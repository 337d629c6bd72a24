// A folder for one test, and errors without what differs from run to run.
import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TestFolder extends AsyncDisposable {
  readonly path: string;
  file(name: string): string;
  /** Names of everything in it, sorted; those in folders with their folder. */
  list(): Promise<string[]>;
}

export async function testFolder(): Promise<TestFolder> {
  const path = await mkdtemp(join(tmpdir(), "nearkin-download-"));
  return {
    path,
    file: (name) => join(path, name),
    list: async () => (await readdir(path, { recursive: true })).sort(),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** `CODE: message` of the error that `work` ends with; the folder and the port by a word. */
export async function failure(work: Promise<unknown>, folder: TestFolder): Promise<string> {
  try {
    await work;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    return `${code}: ${message}`.replaceAll(folder.path, "FOLDER").replace(/127\.0\.0\.1:\d+/g, "HOST");
  }
  throw new Error("expected an error, but it went well");
}

export function md5(data: Buffer): string {
  return createHash("md5").update(data).digest("hex");
}
