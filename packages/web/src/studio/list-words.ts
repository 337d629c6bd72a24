// What a field of words proposes.
import type { Choice } from "../design/combobox.tsx";
import { fold } from "../engine/find.ts";

const PROPOSED = 8;

/**
 * Words that training knows and that fit what is typed, those that begin with it first, then the more frequent; and at the end the typed one
 * itself, where training does not know it.
 */
export function proposedWords(text: string, terms: readonly string[], taken: readonly string[]): Choice[] {
  const typed = text.trim();
  const sought = fold(typed);
  const free = terms.filter((term) => !taken.includes(term));
  const starting = free.filter((term) => fold(term).startsWith(sought));
  const within = free.filter((term) => !fold(term).startsWith(sought) && fold(term).includes(` ${sought}`));
  const choices: Choice[] = [...starting, ...within].slice(0, PROPOSED).map((term) => ({ id: term, name: term }));
  const isNew = typed !== "" && !taken.includes(typed) && !terms.some((term) => fold(term) === sought);
  if (isNew)
    choices.push({ id: typed, name: `Add “${typed}”`, note: terms.length > 0 ? "new to the model" : undefined });
  return choices;
}
