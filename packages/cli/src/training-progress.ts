// How a training run looks while it goes: one line that is rewritten on a terminal, a line every few seconds elsewhere, or JSON.
import type { Ranking, TrainEvent } from "@nearkin/train";
import type { Output } from "./output.ts";
import { duration, liveLine } from "./progress.ts";

export function showTraining(
  output: Output,
  { json, resume }: { json: boolean; resume: boolean },
): (event: TrainEvent) => void {
  if (json) return (event) => output.write(`${JSON.stringify(event)}\n`);
  const live = liveLine(output);
  return (event) => {
    switch (event.type) {
      case "phase":
        live.show(`${event.title} …`);
        return;
      case "start":
        if (event.resumedAt) live.end(`resuming at step ${event.resumedAt.step} of the stage ${event.resumedAt.stage}`);
        else if (resume) live.end("there is nothing to resume: starting from the beginning");
        return;
      case "step":
        live.now(stepLine(event));
        return;
      case "validation":
        live.end(
          `${event.stage.padEnd(7)} step ${String(event.step).padStart(5)}  validation ${rankingText(event.ranking)}` +
            `${event.holdoutNll === null ? "" : `  hold-out NLL ${event.holdoutNll.toFixed(4)}`}${event.best ? "  best so far" : ""}`,
        );
        return;
      case "stage":
        live.end(
          `${event.stage.padEnd(7)} done: ${event.steps} steps${event.reason === "patience" ? ", no better for long" : ""}; kept step ${event.best}, ${rankingText(event.ranking)}`,
        );
        return;
      case "warning":
        live.end(`warning: ${event.code}: ${event.text}`);
        return;
      case "note":
        live.end(`note: ${event.text}`);
        return;
      case "checkpoint":
        return;
    }
  };
}

function rankingText(ranking: Ranking | null): string {
  if (!ranking) return "not measured";
  return `HR ${ranking.hr.toFixed(3)} MRR ${ranking.mrr.toFixed(3)} NDCG ${ranking.ndcg.toFixed(3)}`;
}

function stepLine(event: Extract<TrainEvent, { type: "step" }>): string {
  const { stage, step, steps, loss, nll, noise, weights, channels, stepsPerSecond, secondsLeft } = event;
  const pace =
    stepsPerSecond > 0 ? `  ${stepsPerSecond.toPrecision(3)} steps/s, ${duration(secondsLeft)} left in this stage` : "";
  const process = Number.isNaN(nll) ? "" : `  NLL ${nll.toFixed(4)}  noise ${noise.toFixed(3)}`;
  const h = channels.map((name, c) => `${name} ${weights[c].toFixed(2)}`).join(" ");
  return `${stage.padEnd(7)} step ${String(step).padStart(5)}/${steps}  loss ${loss.toFixed(4)}${process}${pace}  [${h}]`;
}
