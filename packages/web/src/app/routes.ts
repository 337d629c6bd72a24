// Every screen by its path.

type Screen = "explore" | "item" | "you" | "studio" | "models" | "compare" | "model" | "evaluation" | "nowhere";

/** In order: the first that fits is taken. */
const patterns: readonly (readonly [string, Screen])[] = [
  ["/", "explore"],
  ["/items/:id", "item"],
  ["/you", "you"],
  ["/studio", "studio"],
  ["/model", "models"],
  ["/model/compare", "compare"],
  ["/model/:id", "model"],
  ["/evaluation", "evaluation"],
];

export interface Route {
  readonly screen: Screen;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * The screen of a path, with what stands in it.
 *
 * @example
 * routeOf("/items/alien-1979") // => { screen: "item", params: { id: "alien-1979" } }
 */
export function routeOf(path: string): Route {
  const given = path.replace(/(.)\/$/, "$1").split("/");
  for (const [pattern, screen] of patterns) {
    const params = match(pattern.split("/"), given);
    if (params) return { screen, params };
  }
  return { screen: "nowhere", params: {} };
}

function match(pattern: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of pattern.entries()) {
    if (!part.startsWith(":")) {
      if (part !== given[i]) return undefined;
      continue;
    }
    const value = decoded(given[i]);
    if (!value) return undefined;
    params[part.slice(1)] = value;
  }
  return params;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined; // half an escape
  }
}

/** The address of an item's page. */
export const itemPath = (id: string): string => `/items/${encodeURIComponent(id)}`;
