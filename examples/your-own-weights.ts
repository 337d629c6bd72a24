// Sliders: the same item under the learned weights, under your own, and by one channel alone. One matrix answers all of them, exactly.
//   npx tsx --conditions=@nearkin/source examples/your-own-weights.ts models/films the-third-man-1949 plot=2 year=0
import { openModel } from "nearkin";

const [folder, wanted, ...sliders] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: your-own-weights.ts <model folder> ["title or id" [channel=weight …]]');
  process.exit(2);
}
await using model = await openModel(folder);
const item = model.items.at(wanted === undefined ? 0 : model.items.find(wanted));
const channels = Object.keys(model.weights);

// A weight of 1 lets two random items be 1 apart in that channel; what is not named stays as it was learned.
const own = Object.fromEntries(
  sliders.map((slider) => slider.split("=")).map(([name, value]) => [name, Number(value)]),
);
await show("learned", model.weights);
if (sliders.length > 0) await show("yours", own);
for (const only of channels.slice(0, 2)) {
  await show(`${only} alone`, Object.fromEntries(channels.map((name) => [name, name === only ? 1 : 0])));
}

const { mean, deviation } = await model.predict(item.id);
console.log(`${item.title ?? item.id} can expect a mean rating of ${mean.toFixed(2)} ± ${deviation.toFixed(2)}`);

async function show(name: string, weights: Readonly<Record<string, number>>): Promise<void> {
  const { items } = await model.similar(item.id, { k: 3, weights });
  console.log(`${name}: ${items.map(({ title, id }) => title ?? id).join(", ")}`);
}
