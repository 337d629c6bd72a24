// How the paper's experiments look while they go: which training of how many, its step, and a line for each that is done.
import type { PaperEvent } from "@nearkin/evaluate";
import { duration, type LiveLine } from "./progress.ts";

type RunEvent = Extract<PaperEvent, { event: "run" }>;

export interface PaperProgress {
  show(event: PaperEvent): void;
  /** The last training is done. */
  end(): void;
}

/** Models by fold and seed. */
const MODELS = 3;

/** `now` is in milliseconds. */
export function paperProgress(
  live: LiveLine,
  { folds, seeds, now = () => performance.now() }: { folds: number; seeds: number; now?: () => number },
): PaperProgress {
  const total = MODELS * folds * seeds;
  let done = 0; // those before the one under way
  let trained = 0;
  let seconds = 0; // of those that were trained
  let cached = 0;
  let current: { name: string; started: number; trains: boolean } | undefined;

  const nameOf = ({ model, fold, seed }: RunEvent) =>
    `${model}, ${folds > 1 ? `fold ${fold} of ${folds}, ` : ""}seed ${seed}`;
  const place = () => `${String(done + 1).padStart(String(total).length)} of ${total}`;
  const line = (text: string) => `${place()}  ${current?.name}: ${text}`;
  const step = (text: string) => {
    if (current) current.trains = true;
    live.now(line(text));
  };
  const finish = () => {
    if (!current) return;
    const took = (now() - current.started) / 1000;
    if (current.trains) {
      trained++;
      seconds += took;
      const left = total - done - 1;
      const rest = left > 0 && trained >= MODELS ? `; about ${duration((seconds / trained) * left)} left` : "";
      live.end(line(`done in ${duration(took)}${rest}`));
    } else cached++;
    current = undefined;
    done++;
  };

  return {
    show(event) {
      if (event.event === "run") {
        finish();
        current = { name: nameOf(event), started: now(), trains: false };
        live.show(`${line("")}…`);
      } else if (event.event === "spe") {
        const { step: at, steps } = event.detail;
        step(`step ${at} of at most ${steps}`);
      } else if (event.detail.type === "start" && event.detail.resumedAt) {
        const { stage, step: at } = event.detail.resumedAt;
        live.end(line(`resuming at step ${at} of the stage ${stage}`));
      } else if (event.detail.type === "step") {
        const { stage, step: at, steps, stepsPerSecond } = event.detail;
        step(
          `${stage} step ${at} of ${steps}${stepsPerSecond > 0 ? `, ${stepsPerSecond.toPrecision(3)} steps/s` : ""}`,
        );
      }
    },
    end() {
      finish();
      if (trained === total) return live.end(`${total} trainings in ${duration(seconds)}`);
      if (trained === 0) return live.end(`${total} trainings; all were there already`);
      live.end(
        `${total} trainings, ${trained} of them in ${duration(seconds)}; ${cached} ${cached === 1 ? "was" : "were"} there already`,
      );
    },
  };
}
