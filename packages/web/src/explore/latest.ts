// Questions that come faster than answers: one is asked at a time, and of those that wait only the last.

/** Gives every question to `ask`, but for those that a later one overtakes. */
export function latestOnly<Question>(ask: (question: Question) => Promise<void>): (question: Question) => void {
  let waiting: { question: Question } | undefined;
  let busy = false;
  return function put(question: Question): void {
    waiting = { question };
    if (busy) return;
    busy = true;
    void work();
  };

  async function work(): Promise<void> {
    while (waiting) {
      const { question } = waiting;
      waiting = undefined;
      await ask(question);
    }
    busy = false;
  }
}
