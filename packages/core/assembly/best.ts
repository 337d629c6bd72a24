// The best rows of a query: a heap with the worst of them on top, so that what does not enter costs one comparison and what does
// log k, however many are kept. An entry is one 64-bit key: the score, mapped so that whole numbers compare as the scores do, above
// the row's complement. The larger key is the better entry: higher score, then smaller row.
import { at } from "./simd";

// A query's record, in bytes; written by the host, one for each thread.
const VECTOR: usize = 0; // address of its numbers
const ALLOWED: usize = 4; // address of its bitmap; 0: every row may be returned
const HEAP: usize = 8; // address of k entries
const K: usize = 12;
const FOUND: usize = 16; // entries in the heap
const WORST: usize = 20; // f32: a score below it does not enter
export const RECORD: usize = 24;

@inline
export function vectorOf(record: usize): usize {
  return <usize>load<u32>(record, VECTOR);
}
@inline
export function allowedOf(record: usize): usize {
  return <usize>load<u32>(record, ALLOWED);
}
@inline
export function worstOf(record: usize): f32 {
  return load<f32>(record, WORST);
}

// −0 counts as 0, for their order is that of their rows.
@inline
function keyOf(score: f32, row: i32): u64 {
  const bits = reinterpret<i32>(score + <f32>0);
  const order = <u32>(bits < 0 ? ~bits : bits ^ i32.MIN_VALUE);
  return (<u64>order << 32) | <u64>(<u32>~row);
}
@inline
function scoreOf(key: u64): f32 {
  const order = <i32>(key >> 32);
  return reinterpret<f32>(order < 0 ? order ^ i32.MIN_VALUE : ~order);
}

// Puts a key in the place of the top of a heap of `count`, or below it.
function sink(heap: usize, count: i32, key: u64): void {
  let i = 0;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= count) break;
    let least = load<u64>(at<u64>(heap, child));
    if (child + 1 < count) {
      const other = load<u64>(at<u64>(heap, child + 1));
      if (other < least) {
        least = other;
        child++;
      }
    }
    if (key <= least) break;
    store<u64>(at<u64>(heap, i), least);
    i = child;
  }
  store<u64>(at<u64>(heap, i), key);
}

/** Offers a row whose score is not below the worst: NaN never is. */
export function offer(record: usize, score: f32, row: i32): void {
  const allowed = allowedOf(record);
  if (allowed != 0 && ((load<u32>(at<u32>(allowed, row >> 5)) >> (row & 31)) & 1) == 0) return;
  const heap = <usize>load<u32>(record, HEAP), k = load<i32>(record, K), found = load<i32>(record, FOUND), key = keyOf(score, row);
  if (found == k) {
    if (key <= load<u64>(heap)) return;
    sink(heap, k, key);
  } else {
    let i = found;
    while (i > 0) {
      const parent = (i - 1) >> 1, above = load<u64>(at<u64>(heap, parent));
      if (above <= key) break;
      store<u64>(at<u64>(heap, i), above);
      i = parent;
    }
    store<u64>(at<u64>(heap, i), key);
    store<i32>(record, found + 1, FOUND);
    if (found + 1 < k) return;
  }
  store<f32>(record, scoreOf(load<u64>(heap)), WORST);
}

/** Leaves the heap as a list, best first: of each entry the row (i32), then its score (f32). */
export function unfold(record: usize): void {
  const heap = <usize>load<u32>(record, HEAP), found = load<i32>(record, FOUND);
  for (let last = found - 1; last > 0; last--) {
    const p = at<u64>(heap, last), key = load<u64>(p);
    store<u64>(p, load<u64>(heap));
    sink(heap, last, key);
  }
  for (let i = 0; i < found; i++) {
    const p = at<u64>(heap, i), key = load<u64>(p);
    store<i32>(p, ~(<i32>key));
    store<f32>(p, scoreOf(key), 4);
  }
}
