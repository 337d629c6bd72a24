// An item that does not exist yet: its neighbours, and the rating it can expect. Nothing is trained for it.
//   npx tsx --conditions=@nearkin/source examples/new-item.ts models/films '{"title": "Night Ferry", "genres": ["Drama"]}'
import { type Draft, openModel } from "nearkin";

const [folder, json] = process.argv.slice(2);
await using model = await openModel(folder);

const draft: Draft = json === undefined ? { [firstText()]: "Night Ferry" } : JSON.parse(json);
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

/** The first channel that takes a text. */
function firstText(): string {
  const channel = model.parts.channels.find(({ transform }) => transform.type === "text");
  if (!channel) throw new Error("this model has no text channel: describe the item as JSON");
  return channel.name;
}
