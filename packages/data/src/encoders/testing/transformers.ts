// @huggingface/transformers for the tests: it is hundreds of megabytes, so not everyone has it.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Transformers } from "../hf.ts";

/**
 * The package where it is installed as usual, else in the `node_modules` folder that NEARKIN_TRANSFORMERS names; `undefined`, with a line on
 * standard error, where it is in neither. A folder that is named and does not have it is an error.
 */
export async function findTransformers(env = process.env): Promise<Transformers | undefined> {
  const usual: string = "@huggingface/transformers";
  try {
    return await import(/* @vite-ignore */ usual);
  } catch {} // the folder, then
  const named = env.NEARKIN_TRANSFORMERS;
  if (!named) {
    process.stderr.write(
      "SKIPPED: the tests of hf:<model>; npm install --prefix <folder> --ignore-scripts @huggingface/transformers@4.3.1, then NEARKIN_TRANSFORMERS=<folder>/node_modules\n",
    );
    return undefined;
  }
  const folder = join(resolve(named), "@huggingface", "transformers");
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return import(/* @vite-ignore */ pathToFileURL(join(folder, exports.node.import.default)).href);
}
