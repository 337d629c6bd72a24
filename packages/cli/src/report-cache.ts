// The folder where the long work of a report is kept, so that a report that was stopped goes on.
import { rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { NearkinError } from "@nearkin/core";
import { ResultCache } from "@nearkin/evaluate";

/** `folder`, or one beside the page, with `.cache` for `.html`. */
export function openReportCache(folder: string | undefined, page: string): ResultCache {
  const place = folder ?? `${page.slice(0, -extname(page).length)}.cache`;
  try {
    const cache = new ResultCache(place);
    const probe = join(place, `probe-${process.pid}.tmp`);
    writeFileSync(probe, "");
    rmSync(probe);
    return cache;
  } catch (cause) {
    throw new NearkinError("BAD_ARGUMENT", `--cache: ${place} cannot be written to: ${(cause as Error).message}`, {
      cause,
    });
  }
}
