// A training as one bar over all of its stages: rewritten on a terminal, a line every few seconds elsewhere.
import type { StageName, TrainConfig, TrainEvent } from "@nearkin/train";
import type { Output } from "./output.ts";
import { duration, liveLine } from "./progress.ts";

const WIDTH = 24;

interface BarOptions {
  /** Steps by stage, where they are not those of the configuration. */
  steps?: Partial<Record<StageName, number>>;
  /** Before every line. @default "" */
  indent?: string;
}

interface TrainingBar {
  readonly onEvent: (event: TrainEvent) => void;
  /** The line that stays, once the model is written. */
  end(): void;
}

/** Shows the events of a run. A stage that ends early makes the bar jump; it never goes back. */
export function trainingBar(
  output: Output,
  config: TrainConfig,
  { steps = {}, indent = "" }: BarOptions = {},
): TrainingBar {
  const live = liveLine(output);
  const started = performance.now();
  const stepsOf = (stage: StageName) => steps[stage] ?? config[stage].steps;
  const total = config.stages.reduce((sum, stage) => sum + stepsOf(stage), 0);
  const before = (stage: StageName) =>
    config.stages.slice(0, config.stages.indexOf(stage)).reduce((sum, one) => sum + stepsOf(one), 0);
  return {
    onEvent(event) {
      if (event.type === "phase") live.show(`${indent}${event.title} …`);
      else if (event.type === "warning") live.end(`${indent}warning: ${event.code}: ${event.text}`);
      else if (event.type === "step") {
        const share = (before(event.stage) + event.step) / total;
        const spent = (performance.now() - started) / 1000;
        const left = share > 0.05 ? `, about ${duration((spent / share) * (1 - share))} left` : "";
        live.now(`${indent}${bar(share)}  loss ${event.loss.toFixed(3)}${left}`);
      }
    },
    end() {
      live.end(`${indent}${bar(1)}  ${duration((performance.now() - started) / 1000)}`);
    },
  };
}

/**
 * @example
 * bar(0.5) // => "[############------------]  50 %"
 */
export function bar(share: number): string {
  const done = Math.round(WIDTH * Math.min(1, Math.max(0, share)));
  return `[${"#".repeat(done)}${"-".repeat(WIDTH - done)}] ${String(Math.floor(100 * Math.min(1, share))).padStart(3)} %`;
}
