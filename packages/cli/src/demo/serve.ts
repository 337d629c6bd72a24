// The demo's server: both models, the sample's users, the results, and the page.
import { openDataset } from "@nearkin/data";
import { importDataset } from "../import-dataset.ts";
import type { Output } from "../output.ts";
import { findPage } from "../page-folder.ts";
import { liveLine } from "../progress.ts";
import type { DemoFolders } from "./folders.ts";

export type DemoServer = Awaited<ReturnType<typeof import("@nearkin/serve").createServer>>;

interface ServeDemo {
  readonly folders: DemoFolders;
  readonly port: number;
  /** Whether to show the page, where there is one. */
  readonly page: boolean;
}

/** Opens the server; it does not listen yet. */
export async function openDemo({ folders, port, page: wanted }: ServeDemo, output: Output): Promise<DemoServer> {
  const { createServer } = await import("@nearkin/serve"); // not before it is asked for
  const page = wanted ? await findPage() : { reason: "no page, as asked" };
  if ("reason" in page) output.log(`   ${page.reason}\n`);
  return createServer({
    models: [folders.model, folders.split],
    store: folders.store,
    results: folders.results,
    port,
    log: "error",
    ...("folder" in page ? { page: page.folder } : {}),
  });
}

/** Histories of the sample become events, and each user gets a metric, before anybody looks. */
export async function bringUsers({ dataset }: DemoFolders, { context }: DemoServer, output: Output): Promise<void> {
  const { store, refresh } = context;
  const live = liveLine(output);
  const imported = await importDataset(store, await openDataset(`${dataset}-all`), {
    onProgress: ({ done, total }) =>
      live.now(`   ${done.toLocaleString("en")} of ${total.toLocaleString("en")} events`),
    onUsers: (users) => {
      for (const user of users) refresh.add(user);
    },
  });
  const all = refresh.size;
  const watching = setInterval(() => live.now(`   metrics of users: ${all - refresh.size} of ${all}`), 200);
  try {
    await refresh.idle();
  } finally {
    clearInterval(watching);
  }
  live.end(`   ${imported.accepted.toLocaleString("en")} events, and a metric for each of their users who differs`);
}
