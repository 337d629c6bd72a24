// How refits of users look while they go: which model of how many, and how many users are done.
import type { PaperUsersEvent } from "@nearkin/evaluate";
import { duration, type LiveLine } from "./progress.ts";

/** `now` is in milliseconds. */
export function usersProgress(
  live: LiveLine,
  now: () => number = () => performance.now(),
): (event: PaperUsersEvent) => void {
  let [users, models, model] = [0, 0, 0];
  let name = "";
  let started = 0;
  return (event) => {
    if (event.event === "training") {
      if (event.detail.type !== "step") return;
      const { stage, step, steps, stepsPerSecond } = event.detail;
      const speed = stepsPerSecond > 0 ? `, ${stepsPerSecond.toPrecision(3)} steps/s` : "";
      live.now(`users' model, seed ${event.seed}: ${stage} step ${step} of ${steps}${speed}`);
    } else if (event.event === "opened") {
      ({ users, models } = event);
    } else if (event.event === "model") {
      model++;
      name = `${event.label}, seed ${event.seed}`;
      started = now();
      live.show(`${model} of ${models}  ${name} …`);
    } else if (event.done === users) {
      live.end(`${model} of ${models}  ${name}: refitted ${users} users in ${duration((now() - started) / 1000)}`);
    } else {
      const left = ((now() - started) / event.done) * (users - event.done);
      live.now(`${model} of ${models}  ${name}: user ${event.done} of ${users}, about ${duration(left / 1000)} left`);
    }
  };
}
