// Which form of a file a caller takes.

/** The smallest first. */
const encodings = ["br", "gzip", "identity"] as const;

export type Encoding = (typeof encodings)[number];

/**
 * The first of the forms that there are that the caller takes; as it is where none fits, which every caller can read.
 *
 * @example
 * chooseEncoding("gzip, br;q=0", { br: 1, gzip: 1 }) // => "gzip"
 */
export function chooseEncoding(
  accepted: string | undefined,
  forms: Readonly<Partial<Record<Encoding, unknown>>>,
): Encoding {
  const taken = new Map(
    (accepted ?? "").split(",").map((part) => {
      const [name, ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
      const refused = parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter));
      return [name, !refused] as const;
    }),
  );
  const takes = (encoding: Encoding) => taken.get(encoding) ?? taken.get("*") ?? false;
  return encodings.find((encoding) => forms[encoding] !== undefined && takes(encoding)) ?? "identity";
}
