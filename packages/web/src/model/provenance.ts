// When, how long and by what a model was made.
import type { Training } from "@nearkin/client";
import type { Fact } from "../design/facts.tsx";
import { duration, moment, plural } from "../design/numbers.ts";
import { shortId } from "./models.ts";

export function madeBy({ settings, seeds, timing, engine, tools, from, dataset }: Training): Fact[] {
  const preset = typeof settings.preset === "string" ? settings.preset : undefined;
  return [
    ...(preset ? [{ term: "Preset", value: preset }] : []),
    ...("train" in seeds ? [{ term: "Seed", value: String(seeds.train) }] : []),
    timing
      ? {
          term: "Took",
          value: duration(timing.seconds),
          meaning: `On ${plural(timing.cores, "core")}, ${moment(timing.started)}.${timing.resumed ? " It went on with what an earlier run had left, whose time is not in it." : ""}`,
        }
      : { term: "Took", value: "–", meaning: "The folder does not say: it was made by an earlier version." },
    {
      term: "Computed by",
      value: engine.library ?? engine.kind,
      meaning: engine.reproducible
        ? "The same seed gives the same model on every machine."
        : "The same seed gives the same model on the same machine only.",
    },
    { term: "Dataset", value: dataset.name, meaning: `Id ${shortId(dataset.id)}` },
    ...(from === null ? [] : [{ term: "Started from", value: `model ${shortId(from)}` }]),
    {
      term: "Made with",
      value: Object.entries(tools)
        .map(([name, version]) => `${name} ${version}`)
        .join(", "),
    },
  ];
}
