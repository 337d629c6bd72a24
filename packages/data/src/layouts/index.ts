// The layouts that have a name: `nearkin prepare --layout <name> <folder>`.
import { NearkinError, nearestNames } from "@nearkin/core";
import type { ConfigInput } from "../config/schema.ts";
import { amazonReviews } from "./amazon-reviews.ts";
import type { Layout } from "./layout.ts";
import { movielens } from "./movielens.ts";
import { recbole } from "./recbole.ts";
import { yelp } from "./yelp.ts";

export type { Layout } from "./layout.ts";

export const layouts = { movielens, yelp, "amazon-reviews": amazonReviews, recbole } satisfies Record<string, Layout>;

export type LayoutName = keyof typeof layouts;

const aliases: Readonly<Record<string, LayoutName>> = { amazon: "amazon-reviews" };

/** The layout a folder has, or undefined. */
export function findLayout(folder: string): LayoutName | undefined {
  return (Object.keys(layouts) as LayoutName[]).find((name) => layouts[name].detect(folder));
}

/**
 * The configuration of a folder of a known layout, file names relative to the folder.
 * An unknown name is a BAD_ARGUMENT, a folder without the files a BAD_SOURCE that says which they are.
 */
export function layoutConfig(name: string, folder: string): ConfigInput {
  const wanted = Object.hasOwn(aliases, name) ? aliases[name] : name;
  if (isLayout(wanted)) return layouts[wanted].config(folder);
  const known = Object.keys(layouts);
  const [near] = nearestNames(name, known, 1);
  throw new NearkinError(
    "BAD_ARGUMENT",
    `no layout is called ${JSON.stringify(name)}${near ? `; did you mean ${JSON.stringify(near)}?` : ""} (known are ${known.join(", ")})`,
  );
}

const isLayout = (name: string): name is LayoutName => Object.hasOwn(layouts, name);
