// A process to be killed: trains the dataset argv[2] into argv[3], saving at every step, and says each step on standard output.
import { createEngine } from "@nearkin/core";
import { openDataset } from "@nearkin/data";
import { resolveTrainConfig } from "../config/resolve.ts";
import { train } from "../train.ts";
import { tiny } from "./sample.ts";

const [, , folder, out, resume] = process.argv;
const engine = await createEngine({ workers: 1 });
await train(await openDataset(folder), resolveTrainConfig(tiny), {
  engine,
  out,
  resume: resume === "resume",
  checkpointEvery: 0,
  onEvent: (event) => {
    if (event.type === "step") process.stdout.write(`${event.stage} ${event.step}\n`);
  },
});
process.stdout.write("done\n");
await engine.close();
