import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelParts } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeModelFolder, writeTinyModel } from "../testing/model-folder.ts";
import { run } from "../testing/run.ts";

let root: string;
let parts: ModelParts;
const at = (name: string) => join(root, name);
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-theory-"));
  parts = await writeTinyModel(at("tiny"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const plain = (text: string) => text.replaceAll(root, "TMP");

describe("theory", () => {
  test("help shows what there is, with examples that run", async () => {
    const { code, out } = await run("theory", "--help");
    expect(code).toBe(0);
    for (const name of ["bound", "certificate", "lemmas", "recovery"]) {
      expect(out).toMatch(new RegExp(`^ {2}${name} `, "m"));
      expect((await run("theory", name, "--help")).out).toContain(`$ nearkin theory ${name}`);
    }
  });
});

describe("theory bound", () => {
  const bound = (...args: string[]) => run("theory", "bound", ...args);

  test("says vacuous, and why, where τ ≥ 1", async () => {
    const { code, out } = await bound("--n", "200", "--alpha", "0.9", "--d", "4000", "--lambda-max", "40");
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "Theorem 1   Pr(sup|k − k*|/k* ≥ 0.5) ≤ 1: vacuous
                  τ = σ⁴(1 − c_ε)λ_max/α = 44.2, and the proof needs τ < 1: its λ is a positive multiple of 1 − τ,
                  and Markov's inequality takes a positive λ. The printed 7.6e−123 bounds nothing; only 1 does.
                  α/σ⁴ = 0.9 is at most 1 − c_ε = 0.995, the mean of what must stay below it: no bound of this kind
                  can be under 1.
        τ         44.2, with c_ε = 0.005
        sharper   1, from λ_max and tr K* = n; true for every τ
        A2        holds with probability 1 at most
      Theorem 2   |D − D*| ≤ 1.39 with probability 0.95: no number of observations is enough
      "
    `);
  });

  test("a bound where there is one, and with all eigenvalues the probability behind it", async () => {
    expect(
      (await bound("--n", "2", "--alpha", "4", "--d", "3", "--lambda-max", "1.5", "--epsilon", "0.9")).out,
    ).toMatchInlineSnapshot(`
      "Theorem 1   Pr(sup|k − k*|/k* ≥ 0.9) ≤ 0.103
        τ         0.206, with c_ε = 0.45
        sharper   0.0573, from λ_max and tr K* = n; true for every τ
        A2        holds with probability 0.25 at most
      Theorem 2   |D − D*| ≤ 4.61 with probability 0.95: not kept: it takes 3 observations
                  By the sharper bound more observations reach δ = 0.0137 at best, while α and inf k* stay.
      "
    `);
    expect((await bound("--eigenvalues", "1.5,0.5", "--alpha", "1.2", "--d", "3")).out).toMatchInlineSnapshot(`
      "Theorem 1   Pr(sup|k − k*|/k* ≥ 0.5) ≤ 0.998
        τ         0.938, with c_ε = 0.25
        sharper   0.917, from λ_max and tr K* = n; true for every τ
        sharpest  0.905, from all eigenvalues; the probability it bounds is 0.196
        A2        holds with probability 0.285 at most; with the draws in which it fails, 0.911 is the least that
                  can be promised
      Theorem 2   |D − D*| ≤ 1.39 with probability 0.95: not kept: it takes 2,816 observations
                  By the sharper bound more observations reach δ = 0.878 at best, while α and inf k* stay.
      "
    `);
  });

  test("numbers that no kernel has are named", async () => {
    const { out } = await bound("--n", "1000", "--alpha", "50", "--d", "100", "--lambda-max", "20");
    expect(out).toContain("No kernel is like that: A1 with d = 100 keeps every k* at 0.2 or more");
  });

  test("docs/theory.md shows what it prints, and no line is longer than 110 characters", async () => {
    const page = readFileSync(new URL("../../../../docs/theory.md", import.meta.url), "utf8");
    const [, args, shown] = page.match(/```\n\$ nearkin theory bound (.+)\n([\s\S]+?)```/) ?? [];
    expect((await bound(...args.split(" "))).out).toBe(shown);
    const { out } = await bound("--eigenvalues", "1.5,0.5", "--alpha", "0.001", "--d", "1.5", "--epsilon", "0.123");
    for (const line of `${shown}${out}`.split("\n")) expect(line.length).toBeLessThanOrEqual(110);
  });

  test("one item: A2 holds as often as a normal number's square is α or more", async () => {
    const { out } = await bound("--eigenvalues", "1", "--alpha", "1e-3", "--d", "1", "--json");
    expect(JSON.parse(out).spectrum.assumption).toBeCloseTo(0.9747728793699604, 14); // erfc(√(α/2))
    expect((await bound("--eigenvalues", "1", "--alpha", "1e-30", "--d", "1")).out).toContain(
      "A2        holds with probability 1 at most",
    );
  });

  test("one observation is said as one", async () => {
    const { out } = await bound("--n", "2", "--alpha", "40", "--d", "3", "--lambda-max", "1.5");
    expect(out).toContain("kept: it takes 1 observation\n");
  });

  test("σ⁴ may be more or less than a number can be: no NaN, and bounds that hold", async () => {
    const given = ["--n", "2", "--alpha", "1", "--d", "3", "--lambda-max", "1.5"];
    expect((await bound(...given, "--sigma", "1e-100")).out).toMatchInlineSnapshot(`
      "Theorem 1   Pr(sup|k − k*|/k* ≥ 0.5) ≤ 1e−323
        τ         under 1e−323, with c_ε = 0.25
        sharper   1e−323, from λ_max and tr K* = n; true for every τ
        A2        holds with probability 1e−323 at most
      Theorem 2   |D − D*| ≤ 1.39 with probability 0.95: kept: it takes 1 observation
                  By the sharper bound more observations reach δ = under 1e−323 at best, while α and inf k* stay.
      "
    `);
    expect((await bound(...given, "--sigma", "1e100")).out).toMatchInlineSnapshot(`
      "Theorem 1   Pr(sup|k − k*|/k* ≥ 0.5) ≤ 1: vacuous
                  τ = σ⁴(1 − c_ε)λ_max/α = over 1e308, and the proof needs τ < 1: its λ is a positive multiple of
                  1 − τ, and Markov's inequality takes a positive λ. The printed under 1e−323 bounds nothing; only 1
                  does.
                  α/σ⁴ = under 1e−323 is at most 1 − c_ε = 0.75, the mean of what must stay below it: no bound of
                  this kind can be under 1.
        τ         over 1e308, with c_ε = 0.25
        sharper   1, from λ_max and tr K* = n; true for every τ
        A2        holds with probability 1 at most
      Theorem 2   |D − D*| ≤ 1.39 with probability 0.95: no number of observations is enough
      "
    `);
    for (const sigma of ["1e-300", "1e-81", "1e-77", "1e77", "1e300"]) {
      for (const size of [["--eigenvalues", "1.5,0.5"], given.slice(0, 2).concat(given.slice(6))]) {
        for (const alpha of ["0", "1e-300", "1", "1e300"]) {
          const { code, out } = await bound(...size, "--alpha", alpha, "--d", "3", "--sigma", sigma);
          expect(code).toBe(0);
          expect(out).not.toMatch(/NaN|undefined|–/);
        }
      }
    }
  });

  test("--json has everything, unrounded", async () => {
    const { out } = await bound(
      "--n",
      "200",
      "--alpha",
      "1",
      "--d",
      "4000",
      "--lambda-max",
      "40",
      "--delta",
      "0.1",
      "--json",
    );
    const { inputs, theorem1, theorem2 } = JSON.parse(out);
    expect(inputs).toEqual({ n: 200, lambdaMax: 40, sigma: 1, alpha: 1, d: 4000, epsilon: 0.5, delta: 0.1 });
    expect(theorem1).toMatchObject({ vacuous: true, bound: 1, tau: 39.8, cEpsilon: 0.005 });
    expect(theorem2).toMatchObject({ observations: null, kept: false });
  });

  test("what is missing or cannot be is refused", async () => {
    const errors = [];
    for (const args of [
      ["--alpha", "1", "--d", "60"],
      ["--alpha", "1", "--d", "60", "--n", "5", "--eigenvalues", "1,1"],
      ["--alpha", "1", "--d", "60", "--n", "5", "--lambda-max", "70"],
      ["--alpha", "1", "--d", "60", "--n", "5", "--lambda-max", "3", "--epsilon", "2"],
      ["--alpha", "1", "--d", "60", "--eigenvalues", "2,-1"],
      ["--alpha", "much", "--d", "60"],
      ["--d", "60", "--n", "5", "--lambda-max", "3"],
      ["--alpha", "1", "--d", "60", "--eigenvalues", "1,,2"],
    ]) {
      const { code, out, err } = await bound(...args);
      expect(out).toBe("");
      errors.push(`${code} ${err.split("\n")[0]}`);
    }
    expect(errors).toMatchInlineSnapshot(`
      [
        "1 BAD_ARGUMENT: give --n and --lambda-max, or all --eigenvalues",
        "1 BAD_ARGUMENT: --eigenvalues says what n and λ_max are; leave out --n and --lambda-max",
        "1 BAD_ARGUMENT: d must be at least lambdaMax: A1 asks for d·inf k* ≥ 70, and no kernel value is above 1; got 60",
        "1 BAD_ARGUMENT: epsilon must be between 0 and 1, neither of them, got 2",
        "1 BAD_ARGUMENT: eigenvalues must be at least 0 and finite, got -1",
        "2 USAGE: option '--alpha <x>' argument 'much' is invalid. Expected a number.",
        "2 USAGE: required option '--alpha <x>' not specified",
        "2 USAGE: option '--eigenvalues <list>' argument '1,,2' is invalid. Expected numbers, such as 2.1,0.7,0.2.",
      ]
    `);
  });
});

describe("theory certificate", () => {
  const certificate = (...args: string[]) => run("theory", "certificate", ...args, "--workers", "1");

  test("a model against its rows in 8 bits: certified above measured", async () => {
    const { code, out, err } = await certificate(at("tiny"), "--quantise", "8");
    expect(code).toBe(0);
    expect(plain(out)).toMatchInlineSnapshot(`
      "TMP/tiny and its rows in 8 bits: all 780 pairs of 40 items
      ε = sup|k₂/k₁ − 1|   0.0635
      certified            |D₂ − D₁| ≤ 0.1313
      measured             |D₂ − D₁| ≤ 0.1232; The Frozen River and The Distant Signal are 33.74 and 33.62 apart
      Two items whose distances to a third differ by more than 0.2626 keep their order.
      "
    `);
    expect(err).toBe("The ratings behind this model (tiny films) are SIMULATED.\n");
  });

  test("two models: the same is certified at 0, another may not be certified at all", async () => {
    expect(plain((await certificate(at("tiny"), at("tiny"))).out)).toMatchInlineSnapshot(`
      "TMP/tiny and TMP/tiny: all 780 pairs of 40 items
      ε = sup|k₂/k₁ − 1|   0
      certified            |D₂ − D₁| ≤ 0
      measured             no difference
      "
    `);
    const parameters = parts.parameters.slice();
    const weights = parts.ensemble.channels.length;
    parameters.fill(3, parameters.length - 3 - weights, parameters.length - 3); // θ of all channels: much larger weights
    await writeModelFolder(at("far"), { ...parts, parameters });
    expect(plain((await certificate(at("far"), at("tiny"))).out)).toMatchInlineSnapshot(`
      "TMP/far and TMP/tiny: all 780 pairs of 40 items
      ε = sup|k₂/k₁ − 1|   4.0e11
      certified            nothing: ε is not below 1, and Lemma 3 has nothing to say
      measured             |D₂ − D₁| ≤ 53.43; The Frozen River and The Distant Signal are 87.17 and 33.74 apart
      "
    `);
  });

  test("a distance that grew by a lot: ε is below 1, and it says so", async () => {
    const parameters = parts.parameters.slice();
    const weights = parts.ensemble.channels.length;
    parameters.fill(3, parameters.length - 3 - weights, parameters.length - 3);
    await writeModelFolder(at("wide"), { ...parts, parameters });
    expect(plain((await certificate(at("tiny"), at("wide"))).out)).toMatchInlineSnapshot(`
      "TMP/tiny and TMP/wide: all 780 pairs of 40 items
      ε = sup|k₂/k₁ − 1|   1 less 2.5e−12
      certified            |D₂ − D₁| ≤ 53.43
      measured             |D₂ − D₁| ≤ 53.43; The Frozen River and The Distant Signal are 33.74 and 87.17 apart
      Two items whose distances to a third differ by more than 106.9 keep their order.
      "
    `);
  });

  test("a single pair is said as one", async () => {
    expect((await certificate(at("tiny"), "--quantise", "8", "--pairs", "1")).out).toContain(
      "1 random pair of 40 items; the certificate is about this one",
    );
  });

  test("--pairs takes a sample, and says so; --json", async () => {
    const { out } = await certificate(at("tiny"), "--quantise", "8", "--pairs", "50", "--seed", "3");
    expect(out).toContain("50 random pairs of 40 items; the certificate is about these");
    const json = JSON.parse((await certificate(at("tiny"), "--quantise", "8", "--json")).out);
    expect(json).toMatchObject({ model: { name: "tiny" }, bits: 8, pairs: 780, exhaustive: true });
    expect(json.bound).toBeGreaterThanOrEqual(json.gap);
  });

  test("what cannot be compared is refused", async () => {
    const errors = [];
    for (const args of [
      [at("tiny")],
      [at("tiny"), at("tiny"), "--quantise", "8"],
      [at("tiny"), "--quantise", "32"],
      [at("no"), "--quantise", "8"],
    ]) {
      const { code, err } = await certificate(...args);
      errors.push(`${code} ${plain(err).split("\n")[0]}`);
    }
    expect(errors).toMatchInlineSnapshot(`
      [
        "1 BAD_ARGUMENT: compare the model with another, or with a copy of its own by --quantise: one of them",
        "1 BAD_ARGUMENT: compare the model with another, or with a copy of its own by --quantise: one of them",
        "1 BAD_ARGUMENT: bits must be at most 16, got 32",
        "1 BAD_MODEL: TMP/no does not exist; expected a folder that nearkin train wrote",
      ]
    `);
  });
});

test("theory lemmas prints both checks, the same for the same seed", async () => {
  const { code, out } = await run("theory", "lemmas", "--draws", "20000", "--workers", "1");
  expect(code).toBe(0);
  expect(out.replaceAll(/\d\.\de−1[1-5]/g, "ROUNDING")).toMatchInlineSnapshot(`
    "Lemma 4   E[exp(λrᵀAr)] = |I − 2λAK*|^(−½), where 2λ·λ_max(AK*) < 1; n = 12, 20,000 draws
    2λ·λ_max(AK*)  exactly  by the formula  by draws  ± one error  off by errors
    0.1             1.0639          1.0639    1.0647       0.0006            1.3
    0.25            1.1819          1.1819    1.1841        0.002            1.1
    0.45            1.4066          1.4066    1.4098       0.0065            0.5
    0.75            2.1475          2.1475    2.0881            –              –
    1.5                  ∞               –    38.487            –              –
              From ½ on the draws have no variance, so that no error can be given; from 1 on the mean is infinite,
              whatever the formula says.

    Lemma 5   (r − r̂)ᵀA(r − r̂) = σ⁴·rᵀS⁻¹AS⁻¹r, S = K + σ²I; 20 trials
              any square A: the sides differ by ROUNDING of themselves at most
              A = S²/n, as in A2: σ⁴·rᵀr/n whatever K is, to ROUNDING
    "
  `);
  const json = JSON.parse((await run("theory", "lemmas", "--draws", "2000", "--n", "5", "--json")).out);
  expect(json).toMatchObject({ n: 5, draws: 2000, seed: 1 });
  expect(json.lemma4).toHaveLength(5);
  expect(json.lemma5.any).toBeLessThan(1e-10);
});

describe("theory recovery", () => {
  const small = ["--sizes", "30,80", "--surrogates", "1,8", "--runs", "3", "--workers", "1"];
  const recovery = (...args: string[]) => run("theory", "recovery", ...small, ...args);

  test("prints both errors and Theorem 1, and writes a page with its numbers", async () => {
    const { code, out, err } = await recovery("--out", at("page/recovery.html"));
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "sup|k − k*|/k*, the median of 3 seeds
      items n  k = 1  k = 8
      30        4.03  0.901
      80        1.25    0.3

      sup|D − D*|
      items n  k = 1  k = 8
      30        3.66    3.3
      80        2.32  0.665

      Theorem 1 with k = 1, A1 and A2 at their best: the smallest τ and the largest printed bound of any seed, and
      how often ε = 0.5 is missed
      items n  λ_max      d     τ   printed       holds  missed
      30        7.69    494  3.56  0.000257  1, vacuous   100 %
      80        18.5  1,700   5.9   4.0e−17  1, vacuous   100 %
      "
    `);
    expect(plain(err)).toMatch(/simulated 12 fits in .+\nTMP\/page\/recovery\.html\nTMP\/page\/recovery\.json\n$/);
    const page = readFileSync(at("page/recovery.html"), "utf8");
    expect(page).toContain(
      "nearkin theory recovery --sizes 30,80 --surrogates 1,8 --runs 3 --sigma2 0.0001 --epsilon 0.5 --engine wasm --out recovery.html",
    );
    expect(page).not.toContain(root);
    const { result } = JSON.parse(readFileSync(at("page/recovery.json"), "utf8"));
    expect(result.cells).toHaveLength(4);
    const again = JSON.parse((await recovery("--json")).out);
    expect(again).toEqual(result);
  });

  test("a page that cannot be written is refused before the work", async () => {
    const { code, err } = await recovery("--out", at("page.txt"));
    expect({ code, err: plain(err) }).toEqual({
      code: 1,
      err: "BAD_ARGUMENT: --out: expected a file that ends in .html, got TMP/page.txt\n",
    });
    expect(existsSync(at("page.json"))).toBe(false);
  });

  test("one run of one fit is said as one", async () => {
    const { out, err } = await run("theory", "recovery", "--sizes", "20", "--surrogates", "1", "--runs", "1");
    expect(out).toMatch(/^sup\|k − k\*\|\/k\*, of one seed\n/);
    expect(err).toContain("simulated 1 fit in ");
  });

  test("a σ² whose square is no number is refused by its name", async () => {
    const { code, err } = await recovery("--sigma2", "1e300");
    expect({ code, err }).toEqual({
      code: 1,
      err: "BAD_ARGUMENT: sigma2 must be between 1e-100 and 1e+100, got 1e+300\n",
    });
  });

  test("wrong options are usage errors", async () => {
    const errors = [];
    for (const args of [
      ["--sizes", "1"],
      ["--sizes", "50,50"],
      ["--surrogates", "0"],
      ["--sigma2", "0"],
      ["--runs", "none"],
      ["--seeds", "1,2"],
    ]) {
      const { code, err } = await run("theory", "recovery", ...args);
      errors.push(`${code} ${err.split("\n")[0]}`);
    }
    expect(errors).toMatchInlineSnapshot(`
      [
        "2 USAGE: option '--sizes <list>' argument '1' is invalid. Expected a whole number of at least 2.",
        "2 USAGE: option '--sizes <list>' argument '50,50' is invalid. Expected each number once.",
        "2 USAGE: option '--surrogates <list>' argument '0' is invalid. Expected a whole number of at least 1.",
        "2 USAGE: option '--sigma2 <x>' argument '0' is invalid. Expected a number above 0.",
        "2 USAGE: option '--runs <count>' argument 'none' is invalid. Expected a whole number of at least 1.",
        "2 USAGE: unknown option '--seeds'",
      ]
    `);
  });
});
