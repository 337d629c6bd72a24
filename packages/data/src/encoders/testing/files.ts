// Files in a folder of the test's own.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class TestFolder {
  readonly path = mkdtempSync(join(tmpdir(), "nearkin-test-"));

  /** Writes a file and gives its path. */
  write(name: string, content: string | Uint8Array): string {
    const path = join(this.path, name);
    writeFileSync(path, content);
    return path;
  }

  /** `CODE: message` of the error, with `<folder>` for a path that differs from run to run. */
  async failure(promise: Promise<unknown>): Promise<string> {
    const error = await promise.then(
      () => new Error("expected an error"),
      (error) => error,
    );
    return `${error.code}: ${error.message.replaceAll(this.path, "<folder>")}`;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** A .npy file as NumPy writes it. */
export function npy(descr: string, shape: readonly number[], data: ArrayBufferView, fortran = false): Uint8Array {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const dictionary = `{'descr': '${descr}', 'fortran_order': ${fortran ? "True" : "False"}, 'shape': (${sizes}), }`;
  const header = `${dictionary.padEnd(118 - 1)}\n`;
  const length = Buffer.alloc(2);
  length.writeUInt16LE(header.length);
  return Buffer.concat([
    Buffer.from("\x93NUMPY\x01\x00", "latin1"),
    length,
    Buffer.from(header, "latin1"),
    new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
  ]);
}
