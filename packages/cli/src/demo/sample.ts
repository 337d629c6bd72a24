// The built-in sample as a dataset folder, with some films held out to play new ones.
import { rmSync } from "node:fs";
import { parseConfig, prepare, resolveSource, SAMPLE } from "@nearkin/data";
import type { Output } from "../output.ts";
import { liveLine } from "../progress.ts";
import { writeSource } from "../source-record.ts";

interface SampleOptions {
  encoder?: string | undefined;
  workers?: number | undefined;
  signal: AbortSignal;
}

export async function prepareSample(
  folder: string,
  { encoder, workers, signal }: SampleOptions,
  output: Output,
): Promise<void> {
  using source = await resolveSource(SAMPLE);
  const { channels, ...rest } = source.config as { channels: Record<string, object> };
  const plot = { ...channels.plot, ...(encoder === undefined ? {} : { encoder }) };
  // The sample is small and dense: items drawn at random play the new ones.
  const config = parseConfig({ ...rest, channels: { ...channels, plot }, split: { by: "random" } });
  const live = liveLine(output);
  for (const old of [folder, `${folder}-all`]) rmSync(old, { recursive: true, force: true });
  const { counts } = await prepare(config, {
    out: folder,
    folder: source.folder,
    force: true,
    signal,
    ...(workers === undefined ? {} : { threads: workers }),
    onEvent: (event) => {
      if (event.type === "step") live.show(`   ${event.title} …`);
      if (event.type === "encode") live.now(`   plots encoded: ${event.progress.done} of ${event.progress.texts}`);
    },
  });
  writeSource(folder, { source: SAMPLE, layout: null, flags: { encoder } });
  live.end(
    `   ${counts.interactions.toLocaleString("en")} ratings of ${counts.items} films by ${counts.users} users; ` +
      `${counts.roles.validation + counts.roles.test} films are held out to play new ones`,
  );
}
