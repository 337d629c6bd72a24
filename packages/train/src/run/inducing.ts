// Inducing items: those that say most about all others under the metric as it stands.
import { embed, type Random, selectInducing } from "@nearkin/core";
import { kernelInputs } from "../stages/kernel.ts";
import { ensembleOf, type Run } from "./run.ts";

/** Items among which inducing ones are looked for: to look among all of a large catalogue would take longer than it helps. */
const CANDIDATES = 8192;

/** Items up to which the exact likelihood keeps all of them as inducing ones. */
const ALL = 2048;

/** m for so many items. */
export function inducingCount({ config }: Run, items: number): number {
  if (config.ssl.likelihood === "exact" && items <= ALL) return items;
  return Math.max(1, Math.min(config.ssl.inducing, Math.floor(items / 10)));
}

/** Greedy conditional variance among the given rows of the targets, of which it returns `count` or, where duplicates leave fewer, fewer. */
export function chooseInducing(
  run: Run,
  { among, count, label }: { among: Int32Array; count: number; label: string | number },
): Int32Array {
  const { engine, set } = run;
  const { targets } = set;
  if (!targets) throw new Error("there are no targets");
  const pool = candidates(among, Math.max(count, CANDIDATES), run.random.split("inducing", label));
  using scope = engine.scope();
  const embedding = embed(
    engine,
    scope,
    ensembleOf(run),
    pool.map((row) => targets.items[row]),
  );
  const chosen = selectInducing(engine, { ...kernelInputs(run, scope, embedding), count });
  return Int32Array.from(chosen, (at) => pool[at]);
}

function candidates(among: Int32Array, most: number, random: Random): Int32Array {
  if (among.length <= most) return among;
  return random.shuffle(Int32Array.from(among)).slice(0, most).sort();
}
