import { rmSync } from "node:fs";
import { join } from "node:path";
import { applyText, type CategoriesTransform, type TextTransform } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCatalogue, loadItems, loadUsers } from "./catalogue.ts";
import { type DatasetChannel, loadChannels } from "./channels.ts";
import { loadTraining } from "./load.ts";
import { type Dataset, openDataset } from "./open.ts";
import { itemRoles } from "./roles.ts";
import { makeDataset, temporaryFolder, type World } from "./testing/world.ts";

// Items in the order of their ids: a b c d are described and met, nobody describes x, nobody meets z.
const world: World = {
  interactions: `
user,item,rating,timestamp
ann,a,5,100
ann,b,3,200
ann,c,4,200
ann,a,4,90
bob,a,1,150
bob,d,4,50
cat,b,2,300
cat,x,5,400`,
  items: `
item,title,price,genres,words,day,lat,lon,vec,role
z,Zed,10,Opera|Drama,zebra,1969-12-31,0,180,"[5,6]",r9
a,Ay,1,Drama|War,red boat sea,1970-01-02,0,0,"[1,0]",r0
b,Bee,2,Drama,red sea,1970-01-11,0,90,"[0,2]",r1
c,"See, he said",3,Comedy,boat house,,90,0,"[3,4]",r2
d,,,,house red,1971-01-01,,,,r3`,
  config: {
    name: "letters",
    items: { fields: ["role"] }, // a name that is also ours
    channels: {
      price: { type: "number", column: "price" },
      genres: { type: "categories", column: "genres" },
      words: { type: "text", column: "words", encoder: "lsa", pca: null },
      day: { type: "date", column: "day" },
      place: { type: "geo", latitude: "lat", longitude: "lon" },
      vec: { type: "vector", column: "vec" },
      self: { type: "identity" },
    },
    split: { by: "none" },
    factors: { count: 2 },
  },
};
const n = 6;

const folder = temporaryFolder();
let dataset: Dataset;
beforeAll(async () => {
  // [1] would be a pattern for DuckDB, and match "letters1".
  const path = await makeDataset(folder.path, "letters[1]", world);
  rmSync(join(path, "truth"), { recursive: true }); // training must not miss it
  dataset = await openDataset(path);
});
afterAll(() => folder[Symbol.dispose]());

describe("loadTraining, without truth/", () => {
  test("gives each user's history in time order, ties by item, the last of two interactions", async () => {
    const { histories, users, itemCount, userCount } = await loadTraining(dataset);
    expect([itemCount, userCount]).toEqual([6, 3]);
    expect(histories).toEqual({
      userIndex: new Int32Array([0, 1, 2]),
      starts: new Int32Array([0, 3, 5, 7]),
      items: new Int32Array([0, 1, 2, 3, 0, 1, 4]),
      ratings: new Float32Array([5, 3, 4, 4, 1, 2, 5]),
      times: new Float64Array([100, 200, 200, 50, 150, 300, 400]),
    });
    expect(users).toEqual({ events: new Int32Array([3, 2, 2]), mean: new Float64Array([4, 2.5, 3.5]) });
  });

  test("gives the pairs within the window", async () => {
    const { pairs } = await loadTraining(dataset);
    expect(pairs).toEqual({
      user: new Int32Array([0, 0, 0, 1, 2]),
      anchor: new Int32Array([0, 0, 1, 3, 1]),
      positive: new Int32Array([1, 2, 2, 0, 4]),
    });
  });

  test("gives statistics for all items, NaN where there is nothing to count", async () => {
    const { items, roles } = await loadTraining(dataset);
    const { shrunkMean, ...exact } = items;
    expect(exact).toEqual({
      ratings: new Int32Array([2, 2, 1, 1, 1, 0]),
      mean: new Float64Array([3, 2.5, 4, 4, 5, Number.NaN]),
      firstSeen: new Float64Array([100, 200, 200, 50, 400, Number.NaN]),
      lastSeen: new Float64Array([150, 300, 200, 50, 400, Number.NaN]),
    });
    const five = 5 * (24 / 7); // the global mean, five times
    const expected = [(6 + five) / 7, (5 + five) / 7, (4 + five) / 6, (4 + five) / 6, (5 + five) / 6];
    expected.forEach((value, item) => {
      expect(shrunkMean[item]).toBeCloseTo(value, 14);
    });
    expect(shrunkMean[5]).toBeNaN();
    const { train, unseen } = itemRoles;
    expect(roles).toEqual(new Uint8Array([train, train, train, train, train, unseen]));
  });

  test("gives factors that the dense matrix has, too: AᵀA·v = σ²·v, and not the first", async () => {
    const { factors, histories } = await loadTraining(dataset);
    const degrees = { user: [3, 2, 2], item: [2, 2, 1, 1, 1, 1] };
    const A = [0, 1, 2].map(() => new Float64Array(n)); // (users, items)
    for (let user = 0; user < 3; user++) {
      for (let e = histories.starts[user]; e < histories.starts[user + 1]; e++) {
        const item = histories.items[e];
        A[user][item] = 1 / Math.sqrt(degrees.user[user] * degrees.item[item]);
      }
    }
    expect(factors.k).toBe(2);
    expect(factors.vectors).toHaveLength(n * 2);
    for (let j = 0; j < 2; j++) {
      const v = Array.from({ length: n }, (_, item) => factors.vectors[item * 2 + j]);
      const Av = A.map((row) => row.reduce((sum, a, item) => sum + a * v[item], 0));
      const square = factors.singularValues[j] ** 2;
      for (let item = 0; item < n; item++) {
        expect(A.reduce((sum, row, user) => sum + row[item] * Av[user], 0)).toBeCloseTo(square * v[item], 6);
      }
      expect(v.reduce((sum, x) => sum + x * x, 0)).toBeCloseTo(1, 6);
      expect(square).toBeLessThan(0.999); // σ = 1 is popularity
      expect(v[5]).toBe(0);
    }
    expect(factors.singularValues[0]).toBeGreaterThan(factors.singularValues[1]);
  });
});

describe("loadChannels, without truth/", () => {
  let channels: Map<string, DatasetChannel>;
  beforeAll(async () => {
    channels = await loadChannels(dataset);
  });
  const channel = (name: string) => channels.get(name) as DatasetChannel;
  const data = (name: string, tensor: string) => channel(name).tensors.get(tensor)?.data;

  test("keeps the order of the configuration", () => {
    expect([...channels.keys()]).toEqual(["price", "genres", "words", "day", "place", "vec", "self"]);
  });

  test("number", () => {
    expect(channel("price").transform).toMatchObject({ type: "number", count: 3, missing: 2, mean: 2, min: 1, max: 3 });
    expect(data("price", "values")).toEqual(new Float64Array([1, 2, 3, Number.NaN, Number.NaN, 10]));
    expect(data("price", "missing")).toEqual(new Uint8Array([0, 0, 0, 1, 1, 0]));
  });

  test("categories: unknown terms are no columns", () => {
    expect((channel("genres").transform as CategoriesTransform).terms).toEqual(["Drama", "Comedy", "War"]);
    expect(data("genres", "starts")).toEqual(new Int32Array([0, 2, 3, 4, 4, 4, 5]));
    expect(data("genres", "indices")).toEqual(new Int32Array([0, 2, 0, 1, 0]));
    expect(data("genres", "missing")).toEqual(new Uint8Array([0, 0, 0, 1, 1, 0]));
    expect(dataset.manifest.channels.genres.unknown).toBe(1);
  });

  test("text by lsa: with all directions kept, products of vectors are those of the weighted words", () => {
    const transform = channel("words").transform as TextTransform;
    const vectors = data("words", "vectors") as Float32Array;
    const width = vectors.length / n;
    const row = (item: number) => vectors.subarray(item * width, (item + 1) * width);
    const product = (a: number, b: number) => row(a).reduce((sum, x, j) => sum + x * row(b)[j], 0);
    // Over four texts: red is in three, sea, boat and house in two.
    const [red, other] = [Math.log(5 / 4) + 1, Math.log(5 / 3) + 1];
    const [a, b, c] = [Math.hypot(red, other, other), Math.hypot(red, other), Math.hypot(other, other)];
    expect(product(0, 1)).toBeCloseTo((red * red + other * other) / (a * b), 6);
    expect(product(0, 2)).toBeCloseTo((other * other) / (a * c), 6);
    expect(product(1, 2)).toBeCloseTo(0, 6);
    expect(row(0)).toEqual(applyText(transform, "red boat sea"));
    expect(data("words", "missing")).toEqual(new Uint8Array([0, 0, 0, 0, 1, 1])); // no word of z is known
  });

  test("date: days since 1970", () => {
    expect(data("day", "values")).toEqual(new Float64Array([1, 10, Number.NaN, 365, Number.NaN, -1]));
    expect(data("day", "missing")).toEqual(new Uint8Array([0, 0, 1, 0, 1, 0]));
  });

  test("geo: points of the unit sphere", () => {
    const points = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, -1, 0, 0];
    expect(data("place", "vectors")).toEqual(new Float32Array(points));
    expect(data("place", "missing")).toEqual(new Uint8Array([0, 0, 0, 1, 1, 0]));
  });

  test("vector", () => {
    expect(data("vec", "vectors")).toEqual(new Float32Array([1, 0, 0, 2, 3, 4, 0, 0, 0, 0, 5, 6]));
    expect(data("vec", "missing")).toEqual(new Uint8Array([0, 0, 0, 1, 1, 0]));
  });

  test("identity: the training items, and no tensors", () => {
    expect(channel("self")).toEqual({
      transform: { type: "identity", items: new Int32Array([0, 1, 2, 3, 4]) },
      tensors: new Map(),
    });
  });
});

test("the vocabularies are in the order of the indices", async () => {
  const items = await loadItems(dataset);
  const users = await loadUsers(dataset);
  expect(items.ids).toEqual(["a", "b", "c", "d", "x", "z"]);
  expect(users.ids).toEqual(["ann", "bob", "cat"]);
});

test("the catalogue has the cells as they stood in the file", async () => {
  const catalogue = await loadCatalogue(dataset);
  const { train, unseen } = itemRoles;
  expect(catalogue.ids).toEqual(["a", "b", "c", "d", "x", "z"]);
  expect(catalogue.titles).toEqual(["Ay", "Bee", "See, he said", null, null, "Zed"]);
  expect(catalogue.roles).toEqual(new Uint8Array([train, train, train, train, train, unseen]));
  expect(catalogue.described).toEqual(new Uint8Array([1, 1, 1, 1, 0, 1]));
  expect([...catalogue.fields.keys()]).toEqual(dataset.manifest.columns.items?.fields);
  expect(catalogue.fields.get("role")).toEqual(["r0", "r1", "r2", "r3", null, "r9"]);
  expect(catalogue.fields.get("vec")).toEqual(["[1,0]", "[0,2]", "[3,4]", null, null, "[5,6]"]);
});
