// Answers to what was asked lately: who goes back to a version asks nothing again.

const MOST = 200; // answers

export class Remembered {
  readonly #answers = new Map<string, unknown>();

  /** The answer to a question, asked where it is not remembered. Failures are not. */
  async of<Answer>(question: readonly unknown[], ask: () => Promise<Answer>): Promise<Answer> {
    const key = JSON.stringify(question);
    if (this.#answers.has(key)) {
      const known = this.#answers.get(key) as Answer;
      this.#answers.delete(key); // to be the youngest
      this.#answers.set(key, known);
      return known;
    }
    const answer = await ask();
    this.#answers.set(key, answer);
    if (this.#answers.size > MOST) this.#answers.delete(this.#answers.keys().next().value as string);
    return answer;
  }

  clear(): void {
    this.#answers.clear();
  }
}
