// Settings as a flat list, and where two lists differ.

export interface Setting {
  /** As docs/training.md has it: "siamese.window". */
  readonly key: string;
  readonly value: unknown;
}

/** Sections are opened, lists are values. */
export function flatSettings(settings: Readonly<Record<string, unknown>>, path = ""): Setting[] {
  return Object.entries(settings).flatMap(([name, value]): Setting[] => {
    const key = path === "" ? name : `${path}.${name}`;
    return isSection(value) ? flatSettings(value, key) : [{ key, value }];
  });
}

const isSection = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export interface SettingDifference {
  readonly key: string;
  /** Undefined where the model was trained before there was such a setting. */
  readonly a: unknown;
  readonly b: unknown;
}

/** In the order of the first, then what only the second has. */
export function differingSettings(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): SettingDifference[] {
  const [first, second] = [a, b].map(
    (settings) => new Map(flatSettings(settings).map(({ key, value }) => [key, value])),
  );
  return [...new Set([...first.keys(), ...second.keys()])].flatMap((key) => {
    const [own, other] = [first.get(key), second.get(key)];
    return JSON.stringify(own) === JSON.stringify(other) ? [] : [{ key, a: own, b: other }];
  });
}

/** A value in words. */
export function settingText(value: unknown): string {
  if (value === undefined) return "not known then";
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(settingText).join(", ");
  if (typeof value === "number" && Math.abs(value) >= 1000) return value.toLocaleString("en");
  return String(value);
}
