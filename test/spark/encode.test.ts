// The SQL in docs/data.md that gives texts to the encoder on every executor: it runs as it stands there, and the vectors are those of one machine.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findSpark, readParquetVectors, runSpark, writeParquet } from "@nearkin/data";
import { openEncoder } from "@nearkin/data/encoders";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { quickSettings, withoutSpark } from "./cluster.ts";

const cluster = inject("cluster");
const bin = fileURLToPath(new URL("../../packages/cli/bin/nearkin.js", import.meta.url));
const docs = readFileSync(new URL("../../docs/data.md", import.meta.url), "utf8");

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "nearkin-spark-encode-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The script of the page, with places and programs of this machine. */
function script(): string {
  const changes = [
    ["/mnt/shared", root],
    ["'nearkin encode", `'${process.execPath} ${bin} encode`],
    ["REPARTITION(64)", "REPARTITION(3)"],
  ];
  const sql = /```sql\n([\s\S]*?TRANSFORM[\s\S]*?)```/.exec(docs)?.[1] ?? "";
  for (const [there] of changes) expect(sql).toContain(there);
  return changes.reduce((text, [there, here]) => text.replaceAll(there, here), sql);
}

test.skipIf(!cluster)(
  `the encoder on executors gives the vectors of one machine, to the bit${cluster ? "" : withoutSpark}`,
  async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `film\t"${i}"\\ ü`);
    const texts = ids.map((_, i) => (i === 7 ? "" : `Plot ${i}:\tthe cat's "spaceship" \n and ${i * i} dogs`));
    await writeParquet(join(root, "items.parquet"), [
      { name: "item", type: "text", values: ids },
      { name: "plot", type: "text", values: texts.map((text) => text || null) },
    ]);
    const spark = await findSpark({ ...process.env, SPARK_HOME: cluster?.home });
    await runSpark(spark, {
      name: "encode",
      folder: root,
      sql: script(),
      master: cluster?.master as string,
      conf: quickSettings,
    });

    const [part] = readdirSync(join(root, "vectors")).filter((file) => /^part-.*\.parquet$/.test(file));
    const table = await readParquetVectors(join(root, "vectors", part));
    const d = table.dimensions;
    await using encoder = await openEncoder("minilm", { threads: 1 });
    const expected = await encoder.encode(texts); // (texts, d)
    expect([...table.ids].sort()).toEqual([...ids].sort());
    for (const [row, id] of table.ids.entries()) {
      const at = ids.indexOf(id);
      expect(table.vectors.slice(row * d, (row + 1) * d)).toEqual(expected.slice(at * d, (at + 1) * d));
    }
  },
);
