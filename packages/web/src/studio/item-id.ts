/**
 * An id for a new item, from its title: lower case, words joined by hyphens, as much as an address can bear.
 *
 * @example
 * proposedId("Amélie & the Dwarfs", "2031") // => "amelie-the-dwarfs-2031"
 */
export function proposedId(title: string, year?: string): string {
  const words = `${title} ${year ?? ""}`
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase()
    .match(/[\p{Letter}\p{Number}]+/gu);
  return (words ?? []).join("-").slice(0, LONGEST);
}

const LONGEST = 80; // characters
