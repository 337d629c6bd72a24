// "Because you watched …": neighbours of an item, each with the reasons that a reader would give.
//   npx tsx --conditions=@nearkin/source examples/because-you-watched.ts models/films "The Third Man"
import { type Contribution, openModel } from "nearkin";

const [folder, wanted] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: because-you-watched.ts <model folder> ["title or id"]');
  process.exit(2);
}
await using model = await openModel(folder);

// By id or by title; the first item of the catalogue where none is named.
const item = model.items.at(wanted === undefined ? 0 : model.items.find(wanted));
const { items } = await model.similar(item.id, { k: 5, popularity: "calibrated", explain: true });

console.log(`Because you watched ${item.title ?? item.id}:`);
for (const { rank, title, id, contributions = [] } of items) {
  console.log(`${rank}. ${title ?? id}: ${alike(contributions)}${except(contributions, rank)}`);
}

/** The two channels in which both items are nearest to each other; 1 is the distance of two random items. */
function alike(contributions: readonly Contribution[]): string {
  const known = contributions.filter(({ unknown, weight }) => unknown === null && weight > 0);
  const nearest = [...known].sort((a, b) => a.distance - b.distance).slice(0, 2);
  return nearest
    .map(({ channel, distance }) => `${distance < 0.1 ? "nearly the same" : "similar"} ${channel}`)
    .join(", ");
}

/** The channel that keeps it from standing higher. */
function except(contributions: readonly Contribution[], rank: number): string {
  const [most] = [...contributions].sort((a, b) => a.rankWithout - b.rankWithout);
  return most && most.rankWithout < rank ? ` (#${most.rankWithout} without ${most.channel})` : "";
}
