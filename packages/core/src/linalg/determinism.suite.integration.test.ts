// The same bits for any number of workers, on every repetition; and for the strict engine in Node and in the browser: its digests are
// written down here. They change only when the arithmetic does: then run  npx vitest run --project core determinism -u
import { describe, expect, test } from "vitest";
import { runProgram } from "../testing/program.ts";
import { createEngine } from "./create.ts";
import type { Precision } from "./matrix.ts";

async function digests(engine: "wasm" | "wasm-relaxed", workers: number, precision: Precision, repeats = 1) {
  const opened = await createEngine({ engine, workers });
  const runs = Array.from({ length: repeats }, () => runProgram(opened, precision));
  await opened.close();
  return { workers: opened.info.workers, runs };
}

describe.each(["wasm", "wasm-relaxed"] as const)("%s", (kind) => {
  test.each(["f64", "f32"] as const)(
    "the same bits with 1, 2 and 3 workers and when repeated, %s",
    async (precision) => {
      const [one, two, three] = [
        await digests(kind, 1, precision),
        await digests(kind, 2, precision, 2),
        await digests(kind, 3, precision),
      ];
      expect([one.workers, two.workers, three.workers]).toEqual([1, 2, 3]);
      expect(two.runs[0]).toEqual(one.runs[0]);
      expect(two.runs[1]).toEqual(one.runs[0]);
      expect(three.runs[0]).toEqual(one.runs[0]);
    },
  );
});

test("the strict engine's bits are the same in Node and in the browser, on every machine", async () => {
  const [f64] = (await digests("wasm", 2, "f64")).runs;
  const [f32] = (await digests("wasm", 2, "f32")).runs;
  expect(Object.keys(f64).map((name) => `${f64[name]} ${f32[name]} ${name}`)).toMatchInlineSnapshot(`
    [
      "ecbc60001c1cb7ca 1e605b9bed01fe89 gemm by rows",
      "299e4921c17cfbfd c0e8ba117feac361 gemm by columns",
      "9434e5ca67bb18ea 9f3c6ab9984a887d syrk",
      "21bb09ffd2ff9d8d 153a5613aa204899 syr2k",
      "6814192ef5a991e4 98825f14f8c757c6 gemv",
      "ea73ff2427e4eb2e 84ee259f9352da55 scan",
      "0fabd1a93c6c5bf3 6dd065ad95db039b cholesky",
      "fcfb941c971bfe84 ef4cfc3b1900cc93 cholesky with jitter",
      "9dd9123545c9167f e355a5d5b042b50b solves",
      "6b7e8742e5dd844c 11be623deaea3543 solveCholesky",
      "f0b782760cdf09b2 d257f6e0b6c048d8 inverse",
      "f487c22b0c681d19 6b2c7b64c95f59a2 choleskyUpdate",
      "4209971e1a217956 c7ef312182c221c5 rowNorms, columnSums",
      "66dee829fb8c7347 663f7173f26ec0ed kernel, linear",
      "055423016d525fdb a6ed76441a946cea kernel, saturating",
      "3bcaf738a518dc7e 00624e1bccfed935 kernel, sigmoid",
      "afdbc7bded0a9fc7 e3af42c6f0b06a04 distances with lengths",
      "b55d16844f35dbc6 517be37a782244bc pair distances",
      "51e05674dd926f04 35ce1fb4c56896ec scaleRows, convert",
      "4489ccdbdd5d82c5 fe3e51e90058df67 activate with a bias",
      "17216f4fe15ceca9 e434d927137a82d5 dropout",
      "df4195222ee2c438 4cd91af8f4206d1a exp",
      "a81a4970758b93a2 d984a41840412a22 tanh",
      "a9e2a262294785dc 9a46989cfab14de2 sigmoid",
      "fc52a7ad1c3acb0f 07516515e16a4977 relu",
      "6a64322b3354ffaf 624498fda70b625d softmaxCrossEntropy",
      "cee40060a2aa5440 2ae97718988f04a0 adamw",
      "1847bc91bc8c11df f70835708237faa2 gatherRows, scatterAddRows",
      "285d3fc89e4193e2 4bc586aae061db14 sparse",
      "30e3cb841c377186 9380b7d5fa336b93 sparseGram",
      "269dd2d2f0fb4c56 269dd2d2f0fb4c56 quantize, multiplyFixed",
      "2dd454ad8cd95eaf 2dd454ad8cd95eaf layerNorm, gelu, attention",
      "802a3731f25f6c97 26e3f91fbd550d31 fills",
    ]
  `);
});

test("memory that is not shared makes no difference", async () => {
  const apart = await createEngine({ engine: "wasm", shared: false });
  const shared = await createEngine({ engine: "wasm", workers: 1 });
  expect(runProgram(apart, "f64")).toEqual(runProgram(shared, "f64"));
  await apart.close();
  await shared.close();
});
