// An answer that is not waited for longer than it is worth.

/** What was asked, or a rejection with what `late` makes where that takes more than so many milliseconds. What was asked goes on all the same. */
export async function inTime<T>(asked: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([asked, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
