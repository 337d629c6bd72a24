const HALF = 0.4; // of a star, from its left: the rest of it is the whole star, which most people mean

/**
 * The rating at a place in a row of stars, 0 its left end and 1 its right.
 *
 * @example
 * ratingAt(0.7, 5) // => 4: the middle of the fourth star
 */
export function ratingAt(place: number, count: number): number {
  const stars = Math.min(1, Math.max(0, place)) * count;
  const whole = Math.min(count - 1, Math.floor(stars));
  return whole + (stars - whole < HALF ? 0.5 : 1);
}
