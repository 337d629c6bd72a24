// The paper's second dataset: files in the shape of the Yelp Open Dataset, from the folder to the page by the commands a user types.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "@nearkin/core";
import type { PaperReport } from "@nearkin/evaluate";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../testing/run.ts";

let folder: string;
const at = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-yelp-"));
  writeYelp();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** 150 businesses of five kinds in three cities; each of 100 users likes a kind and a city. New businesses open all the time. */
function writeYelp(): void {
  const random = new Random(1);
  const kinds = ["Coffee & Tea, Bakeries", "Noodles, Bars", "Hair Salons", "Bookstores, Shopping", "Parks"];
  const cities = [
    { city: "Port Lune", latitude: 40, longitude: -75 },
    { city: "Brême", latitude: 33, longitude: -112 },
    { city: "Moss Hill", latitude: 36, longitude: -115 },
  ];
  const businesses = Array.from({ length: 150 }, (_, i) => {
    const { city, latitude, longitude } = cities[i % 3];
    return {
      business_id: `b${i}`,
      name: `${["Lantern", "Orchard", "Harbour", "Garden"][i % 4]} ${kinds[i % 5].split(/[ ,]/)[0]} ${i}`,
      city,
      latitude: latitude + random.uniform() / 10,
      longitude: longitude + random.uniform() / 10,
      stars: 3.5,
      review_count: 9,
      categories: kinds[i % 5],
    };
  });
  const reviews = Array.from({ length: 100 }, (_, user) =>
    Array.from({ length: 25 }, (_, visit) => {
      const day = visit * 14 + random.below(14);
      const open = 20 + Math.floor((130 * day) / 350); // businesses are numbered as they open
      const likes = (b: number) => b % 5 === user % 5 && b % 3 === user % 3;
      let business = random.below(open);
      for (let tries = 0; tries < 6 && !likes(business); tries++) business = random.below(open);
      return {
        review_id: `r${user}-${visit}`,
        user_id: `u${user}`,
        business_id: `b${business}`,
        stars: likes(business) ? 5 : 1 + random.below(4),
        date: new Date(1_500_000_000_000 + 86_400_000 * day + 60_000 * user)
          .toISOString()
          .slice(0, 19)
          .replace("T", " "),
        text: "Nice, and\nloud",
      };
    }),
  ).flat();
  const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  writeFileSync(at("yelp_academic_dataset_business.json"), lines(businesses));
  writeFileSync(at("yelp_academic_dataset_review.json"), lines(reviews));
  writeFileSync(
    at("small.yaml"),
    `train:
  model: { hidden: 8, embedding: 6 }
  siamese: { steps: 20, batch: 64, validateEvery: 10 }
  ssl: { steps: 10, batch: 100, inducing: 16, validateEvery: 5 }
  personal: { users: 6, items: 8, others: 20, steps: 2, iterations: 5 }
spe: { steps: 20, batch: 64, hidden: 8, embeddingSize: 6, validateEvery: 10 }
`,
  );
}

test("a folder of Yelp's files becomes a dataset, and the paper's experiments run on it", async () => {
  const prepared = await run("prepare", folder, "--encoder", "lsa", "--out", at("dataset"));
  expect(prepared.code).toBe(0);
  const { code, err } = await run(
    ...["report", "paper", "--dataset", at("dataset"), "--seeds", "1", "--config", at("small.yaml")],
    ...["--workers", "1", "--out", at("yelp.html")],
  );
  expect(err).toMatch(/^reported on Yelp in /m);
  expect(code).toBe(0);
  const { result, simulated } = JSON.parse(readFileSync(at("yelp.json"), "utf8")) as PaperReport;
  expect(simulated).toBe(false);
  expect(result.datasets).toMatchObject([{ name: "Yelp", split: "time", items: 150, users: 100 }]);
  expect(result.queries).toBeGreaterThan(3);
  expect(result.curve.map(({ step }) => step)).toEqual([0, 5, 10]);
  expect(readFileSync(at("yelp.html"), "utf8")).toContain("<title>");
});
