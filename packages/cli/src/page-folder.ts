// The page of @nearkin/web, an optional package: served where it is installed and built.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the built page; or why there is none, in one line. */
export async function findPage(): Promise<{ folder: string } | { reason: string }> {
  let folder: string;
  try {
    const { pageFolder } = await import("@nearkin/web/page");
    folder = fileURLToPath(pageFolder);
  } catch (cause) {
    if ((cause as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    return { reason: "no page: @nearkin/web is not installed; run: npm install @nearkin/web" };
  }
  if (existsSync(join(folder, "index.html"))) return { folder };
  return { reason: `no page: ${folder} is not built; run: npm run build` };
}
