// An item that does not exist yet: its neighbours, and the rating it can expect. Nothing is trained for it.
//   npx tsx --conditions=@nearkin/source examples/new-item.ts models/films '{"genres": ["Drama"], "year": 1951}'
import { type Draft, openModel } from "nearkin";

const [folder, json] = process.argv.slice(2);
if (folder === undefined || json === undefined) {
  console.error(`usage: new-item.ts <model folder> '{"genres": ["Drama"], "year": 1951}', by the model's own channels`);
  process.exit(2);
}
await using model = await openModel(folder);

const draft: Draft = JSON.parse(json);
const embedded = await model.embed(draft); // texts are encoded once, for all that follows
for (const { channel, reason } of embedded.missing) console.log(`without ${channel}: ${reason}`);

const { items } = await model.similar(embedded, { k: 5 });
console.log("Nearest items:");
for (const { rank, title, id, distance } of items)
  console.log(`${rank}. ${title ?? id}, distance ${distance.toFixed(2)}`);

const { mean, deviation, observationDeviation } = await model.predict(embedded);
console.log(
  `Expected rating: ${mean.toFixed(2)} ± ${deviation.toFixed(2)}; a single one: ± ${observationDeviation.toFixed(2)}`,
);
