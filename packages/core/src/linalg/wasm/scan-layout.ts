// What the host and its scan threads share besides the rows: control words, a job and records for each thread. Words have 32 bits.

/** Counts batches, in the first slot; threads sleep on it. */
export const ROUND = 0;
/** Chunks of rows that no thread has taken yet, counted down by those who take them; none where it is not positive. */
export const LEFT = 1;
/** Chunks that are finished. */
export const DONE = 2;
/** Chunks, rows of a chunk, rows of all. */
export const CHUNKS = 3;
export const CHUNK_ROWS = 4;
export const COUNT = 5;
/** Characters of the error that a thread ran into, and its text. */
export const ERROR_LENGTH = 6;
export const ERROR_TEXT = 8;
export const ERROR_CHARACTERS = 100;
export const CONTROL_BYTES = 256;

/** A job has eight fields of 8 bytes: from, to, columns, address and stride of the rows, records, their number, workspace. */
export const JOB_BYTES = 64;

/** A query's record, in words: as in assembly/best.ts. */
export const VECTOR = 0;
export const ALLOWED = 1;
export const HEAP = 2;
export const K = 3;
export const FOUND = 4;
export const WORST = 5;
export const RECORD_WORDS = 6;

/** Queries that go through the rows together, at most. */
export const MOST_QUERIES = 64;
