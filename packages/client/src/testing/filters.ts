// Filters at random, for property tests.
import fc from "fast-check";
import type { Filter } from "../filter/filter.ts";

const name = fc.oneof(
  fc.constantFrom("year", "genres", "release date", "seen", "AND", "`", "\\", "é.t-é", "1st", "not"),
  fc.string({ minLength: 1, maxLength: 12, unit: "binary" }),
);
const text = fc.string({ maxLength: 12, unit: "binary" });
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const scalar = fc.oneof(text, number, fc.boolean());
const bound = fc.oneof(text, number);
const scalars = fc.array(scalar, { maxLength: 4 });

const leaf: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ field: name, is: scalar }),
  fc.record({ field: name, in: scalars }),
  fc.record({ field: name, has: scalar }),
  fc.record({ field: name, hasAny: scalars }),
  fc.record({ field: name, above: bound }),
  fc.record({ field: name, atLeast: bound }),
  fc.record({ field: name, below: bound }),
  fc.record({ field: name, atMost: bound }),
  fc.record({ field: name, between: fc.tuple(bound, bound) }),
  fc.record({ field: name, exists: fc.boolean() }),
  fc.record({ field: name, matches: fc.string({ minLength: 1, maxLength: 12, unit: "binary" }) }),
  fc.record({ same: name }),
  fc.record({ seen: fc.boolean() }),
  fc.record({ added: fc.boolean() }),
);

/** Any filter of some levels. */
export const anyFilter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.record({ all: fc.array(tie("filter"), { maxLength: 3 }) }),
    fc.record({ any: fc.array(tie("filter"), { maxLength: 3 }) }),
    fc.record({ not: tie("filter") }),
  ),
})).filter;
