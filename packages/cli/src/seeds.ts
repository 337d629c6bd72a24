// A list of seeds on the command line.
import { InvalidArgumentError } from "commander";
import { wholeNumber } from "./engine.ts";

/** `1,2,3`: whole numbers, each once. */
export function parseSeeds(text: string): number[] {
  const seeds = text.split(",").map(wholeNumber(0));
  if (new Set(seeds).size < seeds.length) throw new InvalidArgumentError("Expected each seed once.");
  return seeds;
}
