// The first page of memory: what the host and its workers say to each other. Byte addresses; counters are 32-bit.
export const CONTROL_BYTES = 65536;

/** Counts rounds of work; workers sleep on it. */
export const ROUND = 0;
/** How many workers have finished the current round. */
export const DONE = 4;

export const MAX_WORKERS = 64;
/** One job slot per thread (the host's is 0): fields, then what to run, then what came of it. */
export const SLOTS = 1024;
export const SLOT_BYTES = 512;
/** In a slot: 40 fields of 8 bytes, then … */
export const KERNEL = 320;
export const RESULT = 324;
export const ERROR_LENGTH = 328;
export const ERROR_TEXT = 332;
export const ERROR_CHARACTERS = 90;

/** Instead of a kernel's number: nothing to do this round; end. */
export const IDLE = -1;
export const END = -2;
