/** Whether a text has more characters than that, as the contract counts them: 😀 is one, though two units of a JavaScript string. */
export function longerThan(text: string, most: number): boolean {
  return text.length > 2 * most || (text.length > most && [...text].length > most);
}
