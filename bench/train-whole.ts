// Part B of the train suite: a whole training of the preset `default` on real ratings, where they are at hand.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { EngineKind } from "@nearkin/core";
import { machine } from "./harness.ts";
import type { WholeResult } from "./train-report.ts";
import { prepareApart, repository, trainApart } from "./train-work.ts";

const NAME = "ml-25m-prefix";

/** null, and a line on standard error, where the data are not there. `steps`: most of each stage. */
export async function timeWhole(engine: EngineKind, steps: number | undefined): Promise<WholeResult | null> {
  const shared = process.env.NEARKIN_SHARED_DATA ?? resolve(repository, "../shared/data");
  const [ratings, items, vectors] = [`${NAME}/ratings.csv`, `${NAME}/items.csv`, "minilm/vectors.safetensors"].map(
    (name) => join(shared, name),
  );
  if (![ratings, items, vectors].every((path) => existsSync(path))) {
    process.stderr.write(
      `the whole training is skipped: no ${NAME} and minilm under ../shared/data (NEARKIN_SHARED_DATA names another folder)\n`,
    );
    return null;
  }
  const folder = mkdtempSync(join(tmpdir(), "nearkin-bench-"));
  const text = (tensor: string, column: string, pca: number) => {
    return { type: "text", column, encoder: `vectors:${vectors}#${tensor}`, ids: "tmdbId", key: "tmdbId", pca };
  };
  try {
    process.stderr.write(`preparing ${NAME} …\n`);
    await prepareApart(
      {
        name: NAME,
        interactions: { files: ratings },
        items: { files: items, columns: { item: "movieId", title: "title" } },
        channels: {
          genres: { type: "categories", column: "genres", missing: ["(no genres listed)"] },
          title: text("title", "title", 64),
          plot: text("plot", "overview", 96),
          year: { type: "number", column: "title", pattern: "\\((\\d{4})\\)\\s*$" },
        },
      },
      join(folder, "dataset"),
    );
    const info = machine();
    const training = await trainApart({
      dataset: join(folder, "dataset"),
      out: join(folder, "model"),
      preset: "default",
      engine,
      train: steps === undefined ? {} : { siamese: { steps }, ssl: { steps, surrogateSteps: steps } },
      warm: 0,
    });
    return { date: new Date().toISOString().slice(0, 10), machine: info, dataset: NAME, training };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
