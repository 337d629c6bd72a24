// What must hold before a model is put in the place of another.
import { NearkinError } from "@nearkin/core";
import type { ModelFacts, Moves } from "./facts.ts";
import type { SampledLists, Stability } from "./lists.ts";
import type { AgainstBaseline, Quality } from "./quality.ts";

export interface Gate {
  readonly name: string;
  readonly passed: boolean;
  /** What was measured, and what is asked, in words. */
  readonly text: string;
}

export interface GateOptions {
  /** Share of the old model's items that may be lost. */
  mostLost: number;
  /** Mean overlap@10. */
  leastOverlap: number;
  allowLostChannels: boolean;
  allowLostAbilities: boolean;
  /** Baselines that the model must be better than, beyond chance. */
  beats: readonly string[];
  /** Baselines that it must not be worse than, beyond chance. */
  notWorseThan: readonly string[];
}

export interface Compared {
  old: ModelFacts;
  new: ModelFacts;
  moves: Moves;
  stability: Stability;
  newLists: SampledLists;
  quality: Quality | undefined;
}

const SHOWN = 3;

export function gatesOf(compared: Compared, options: GateOptions): Gate[] {
  const { old, new: fresh, moves, stability, newLists, quality } = compared;
  const lost = old.items === 0 ? 0 : (moves.lost - moves.deleted) / old.items;
  const badWeights = fresh.channels.filter(({ weight }) => !Number.isFinite(weight)).map(({ name }) => name);
  return [
    {
      name: "lost items",
      passed: lost <= options.mostLost,
      text: `${percent(lost)} of the old items are lost, at most ${percent(options.mostLost)}`,
    },
    {
      name: "overlap",
      passed: stability.overlap >= options.leastOverlap, // NaN does not pass: nothing was compared
      text: Number.isNaN(stability.overlap)
        ? "no item could be compared"
        : `overlap@10 is ${stability.overlap.toFixed(3)}, at least ${options.leastOverlap}`,
    },
    {
      name: "finite scores",
      passed: newLists.broken.length === 0 && badWeights.length === 0,
      text:
        badWeights.length > 0
          ? `the weights of ${badWeights.join(", ")} are no numbers`
          : newLists.broken.length === 0
            ? "all numbers are finite"
            : `${newLists.broken.length} of ${fresh.items} items hold numbers that are not finite (${newLists.broken.slice(0, SHOWN).join(", ")}${newLists.broken.length > SHOWN ? ", …" : ""})`,
    },
    {
      name: "channels",
      passed: options.allowLostChannels || moves.channels.lost.length === 0,
      text: moves.channels.lost.length === 0 ? "none is lost" : `lost: ${moves.channels.lost.join(", ")}`,
    },
    {
      name: "abilities",
      passed: options.allowLostAbilities || moves.abilitiesLost.length === 0,
      text: moves.abilitiesLost.length === 0 ? "none is lost" : `lost: ${moves.abilitiesLost.join(", ")}`,
    },
    ...(quality ? qualityGates(quality, options) : []),
  ];
}

/**
 * Baselines that are no gate unless they are named: popularity gives every query the same list, and factors of who met what are tuned on the same
 * validation items as the model, so that a sound model may be level with them or a little below.
 */
const ONLY_IF_NAMED = new Set(["popularity", "recent popularity", "behavior factors", "content to iALS factors"]);

/** If none is asked for: not worse than random lists and the content baselines. */
function qualityGates(quality: Quality, { beats, notWorseThan }: GateOptions): Gate[] {
  const asked = beats.length + notWorseThan.length > 0;
  const others = quality.against.map(({ name }) => name).filter((name) => !ONLY_IF_NAMED.has(name));
  return [
    ...beats.map((name): Gate => {
      const against = findBaseline(quality, name);
      return { name: `beats ${name}`, passed: against.direction === "better", text: describe(quality, against) };
    }),
    ...(asked ? notWorseThan : others).map((name): Gate => {
      const against = findBaseline(quality, name);
      return {
        name: `not worse than ${name}`,
        passed: against.direction !== "worse",
        text: describe(quality, against),
      };
    }),
  ];
}

function findBaseline({ against, name: own }: Quality, name: string): AgainstBaseline {
  const found = against.find((one) => one.name === name);
  if (found) return found;
  const names = against.map((one) => one.name).join(", ");
  throw new NearkinError(
    "BAD_ARGUMENT",
    `the evaluation does not compare the model with "${name}"${names === "" ? "" : `, but with ${names}`}; evaluate with baselines, and with --base ${JSON.stringify(own)} or without --base`,
  );
}

function describe({ metric, own }: Quality, { value, difference, test }: AgainstBaseline): string {
  const sign = difference < 0 ? "−" : "+";
  return `${metric} ${own.mean.toFixed(3)} against ${value.mean.toFixed(3)} (${sign}${Math.abs(difference).toFixed(3)}; better ${test.better}, worse ${test.worse}, p ${test.p < 0.001 ? "< 0.001" : `= ${test.p.toFixed(3)}`})`;
}

export const percent = (share: number): string => `${(100 * share).toFixed(share === 0 || share >= 0.1 ? 0 : 1)} %`;
