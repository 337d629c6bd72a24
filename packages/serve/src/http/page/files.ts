// The built page, read once and kept in memory: index.html, its service worker and what lies under assets/, each as it is, and smaller by brotli and gzip where that
// makes it so.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { NearkinError } from "@nearkin/core";
import type { Encoding } from "./encodings.ts";

/** A file in all its forms. */
export interface PageFile {
  readonly type: string;
  readonly forms: Readonly<Partial<Record<Encoding, PageForm>>> & { readonly identity: PageForm };
}

interface PageForm {
  readonly bytes: Buffer;
  readonly etag: string;
}

export interface Page {
  readonly index: PageFile;
  /** sw.js, which keeps the page for when there is no network. */
  readonly serviceWorker: PageFile | undefined;
  /** By what stands behind /assets/. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};

/** Smaller already. */
const COMPRESSED = new Set([".png", ".ico", ".woff2"]);
const WORTH = 0.95; // a form that saves less than a twentieth is left out

const compress = {
  // the two levels above it take ten times as long for some hundredths
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
} as const;

/** Reads a folder that `vite build` wrote; one without index.html is a `BAD_CONFIG`. */
export async function readPage(folder: string): Promise<Page> {
  const root = resolve(folder);
  const html = await readFile(join(root, "index.html")).catch((cause) => {
    throw new NearkinError("BAD_CONFIG", `page: ${folder} has no index.html; name the folder of a built page`, {
      cause,
    });
  });
  const entries = await readdir(join(root, "assets"), { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const assets = await Promise.all(
    files.map(async (name) => [name, await formsOf(name, await readFile(join(root, "assets", name)))] as const),
  );
  const worker = await readFile(join(root, "sw.js")).catch(() => undefined);
  return {
    index: await formsOf("index.html", html),
    serviceWorker: worker && (await formsOf("sw.js", worker)),
    assets: new Map(assets),
  };
}

async function formsOf(name: string, bytes: Buffer): Promise<PageFile> {
  const end = extname(name).toLowerCase();
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  const identity = { bytes, etag: `"${hash}"` };
  const type = TYPES[end] ?? "application/octet-stream";
  if (COMPRESSED.has(end)) return { type, forms: { identity } };
  const smaller = await Promise.all(
    (["br", "gzip"] as const).map(async (encoding) => {
      const packed = await compress[encoding](bytes);
      const worth = packed.length < WORTH * bytes.length;
      return worth ? [[encoding, { bytes: packed, etag: `"${hash}-${encoding}"` }] as const] : [];
    }),
  );
  return { type, forms: { identity, ...Object.fromEntries(smaller.flat()) } };
}
