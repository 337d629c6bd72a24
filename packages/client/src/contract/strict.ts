// Objects that refuse keys they do not know, and name the one that was meant.
import { z } from "zod";
import { nearest } from "./nearest.ts";

/** An object of these keys and no others. */
export function strict<Shape extends z.core.$ZodShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, { error: unknownKeys }) as unknown as z.ZodObject<Shape, z.core.$strict>;
}

/** A body that may be left out: then it is null, or nothing, by the time it is parsed. */
export function optionalBody<Body extends z.ZodType>(body: Body) {
  return z.preprocess((given: z.input<Body> | null | undefined) => given ?? {}, body);
}

function unknownKeys(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== "unrecognized_keys") return undefined;
  const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
  return issue.keys
    .slice(0, 3)
    .map((key) => {
      const near = nearest(key, known);
      const hint = near ? `did you mean ${JSON.stringify(near)}?` : `known are ${known.join(", ") || "none"}`;
      return `unknown key ${JSON.stringify(key.slice(0, 64))}; ${hint}`;
    })
    .join("; ");
}
