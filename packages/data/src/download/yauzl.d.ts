// The part of yauzl that unpack.ts uses; the package brings no types of its own.
declare module "yauzl" {
  import type { Readable } from "node:stream";

  export interface Entry {
    /** With forward slashes; a folder's ends with one. */
    readonly fileName: string;
    readonly compressedSize: number;
    readonly uncompressedSize: number;
    readonly crc32: number;
    /** The upper 16 bits are the Unix mode, where the writer kept one. */
    readonly externalFileAttributes: number;
    /** False for an encrypted entry and for an unknown compression. */
    canDecodeFileData(): boolean;
  }

  export interface ZipFile {
    readonly entryCount: number;
    eachEntry(): AsyncIterable<Entry>;
    openReadStreamPromise(entry: Entry): Promise<Readable>;
    close(): void;
  }

  export function openPromise(path: string, options?: { autoClose?: boolean }): Promise<ZipFile>;
}
