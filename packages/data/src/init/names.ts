// Names of columns and files as a prior: what a name suggests before any cell is looked at.
import { columnWords, detectColumn } from "../sources/detect.ts";

export type IdRole = "user" | "item";

/** Words that name a person, or a thing people choose; sometimes followed by a word for "number". */
const words: Record<IdRole, RegExp> = {
  user: /^(user|customer|client|member|reviewer|visitor|account|viewer|reader|listener|buyer|shopper|player|subscriber|patron|person|guest|borrower|student|kunde|nutzer)s?$/,
  item: /^(item|movie|film|product|book|article|track|song|business|asin|sku|isbn|show|video|game|recipe|restaurant|place|venue|hotel|course|app|beer|wine|listing|album|artist|podcast|joke|anime|artikel|produkt|title)s?$/,
};
const NUMBER_WORD = /^(id|ids|number|no|nr|num|code|key|ref|uuid|guid|hash|index|idx)$/;

const hasWord = (column: string, word: RegExp) => columnWords(column).some((own) => word.test(own));

/** The user or item column by its name; also "customer_number" and the like, which `prepare` alone would not take for one. */
export function namedColumn(role: IdRole, columns: readonly string[]): string | undefined {
  const byWords = columns.find((column) => {
    const [first, ...rest] = columnWords(column);
    // "artist" alone may well hold a name; "customer" alone is who bought.
    return (
      words[role].test(first ?? "") &&
      (rest.length > 0 || role === "user") &&
      rest.every((word) => NUMBER_WORD.test(word))
    );
  });
  const exact = detectColumn(role, columns);
  // A bare "id" beside a "film_number" is the row's own.
  return exact !== undefined && !isBareId(exact) ? exact : (byWords ?? exact);
}

export const isBareId = (column: string) => columnWords(column).join("") === "id";

/** A column whose name says that it is a user, or an item; a bare "id" says neither. */
export const isNamed = (role: IdRole, column: string) => namedColumn(role, [column]) !== undefined && !isBareId(column);

/** A file called users.csv, or products-2024.csv. */
export const isFileOf = (role: IdRole, file: string) =>
  columnWords(file.replace(/^.*\//s, "").replace(/\..*$/s, "")).some((word) => words[role].test(word));

/** Words for what a person is, not a thing. */
const PERSONAL =
  /^(age|gender|sex|birth|birthday|birthdate|birthyear|occupation|profession|job|zip|zipcode|postcode|email|firstname|lastname|surname|income|married|signup|joined|alter|geschlecht)$/;

export const isPersonal = (column: string) => hasWord(column, PERSONAL);

const RATING_WORD =
  /^(ratings?|scores?|stars?|votes?|grades?|notes?|points|sterne|bewertung(en)?|feedback|liked?|likes|thumbs?|recommend(ed|s)?|preference|opinion|appreciation|enjoyed|satisfaction)$/;
/** Words for amounts, moments and numbers of things: small whole numbers too, but no opinion. */
const AMOUNT_WORD =
  /^(quantity|qty|amount|price|cost|total|sum|tax|discount|count|counts|number|num|no|nr|units|pieces|plays|playcount|listens|views|clicks|hours|minutes|seconds|duration|length|size|width|height|weight|age|year|month|day|hour|week|weekday|dow|quarter|index|idx|row|rank|position|page|session|version|zip|helpful|menge|anzahl|preis)$/;

export const isRatingName = (column: string) =>
  detectColumn("rating", [column]) !== undefined || (hasWord(column, RATING_WORD) && !isAmountName(column));
export const isAmountName = (column: string) => hasWord(column, AMOUNT_WORD);

const TIME_WORD = /^(timestamp|time|date|datetime|when|at|datum|zeit)$/;

export const isTimeName = (column: string) =>
  detectColumn("time", [column]) !== undefined || hasWord(column, TIME_WORD);

/** "recipe_name" and "game title" too. */
export const isTitleName = (column: string) =>
  /^(title|name|titel|headline|label)$/.test(columnWords(column).at(-1) ?? "");
