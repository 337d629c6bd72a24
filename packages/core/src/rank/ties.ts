// Equal scores are ordered by a hash of the item's id (EV7): by chance, but the same chance on every machine, and neither by popularity
// nor by the order of a file, which both may know something about the items.

/** A 32-bit hash of an id: FNV-1a over its UTF-16 code units, then mixed (MurmurHash3's finaliser), since FNV's high bits lag behind. */
export function tieHash(id: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i);
    h = Math.imul(h ^ (unit & 0xff), 0x01000193);
    h = Math.imul(h ^ (unit >>> 8), 0x01000193);
  }
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** (n) Hashes of all ids. */
export function tieHashes(ids: readonly string[]): Uint32Array {
  const hashes = new Uint32Array(ids.length);
  for (let i = 0; i < ids.length; i++) hashes[i] = tieHash(ids[i]);
  return hashes;
}

/** Whether item a comes before item b: higher score, then smaller hash, then smaller index. */
export function comesBefore(
  hashes: Uint32Array,
  { item: a, score: x }: { item: number; score: number },
  { item: b, score: y }: { item: number; score: number },
): boolean {
  return x !== y ? x > y : winsTie(hashes, a, b);
}

/** Whether item a comes before item b where both score the same: smaller hash, then smaller index. */
export function winsTie(hashes: Uint32Array, a: number, b: number): boolean {
  return hashes[a] !== hashes[b] ? hashes[a] < hashes[b] : a < b;
}
