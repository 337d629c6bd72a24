// Regular expressions in source files, and whether one is linear by its form alone.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

interface FoundLiteral {
  /** `packages/core/src/channels/cells.ts:20` */
  readonly at: string;
  readonly pattern: RegExp;
}

interface FoundExpressions {
  readonly literals: readonly FoundLiteral[];
  /** Patterns of channels that a package writes into configurations: constant texts of a property `pattern`, or of a constant that one names. */
  readonly written: readonly FoundLiteral[];
  /** `new RegExp(…)`, by file and the name of the declaration around it: `packages/core/src/channels/cells.ts expression`. */
  readonly built: readonly string[];
}

/** Regular expressions of all packages, without those of tests. */
export function expressionsOfPackages(repository: string): FoundExpressions {
  const packages = readdirSync(join(repository, "packages")).map((name) => `packages/${name}/src`);
  const files = packages.flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
      .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
      .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|\.suite\.|\/testing\//.test(path))
      .sort(),
  );
  const found = files.map((file) => expressionsOf(file, readFileSync(join(repository, file), "utf8")));
  return {
    literals: found.flatMap(({ literals }) => literals),
    written: found.flatMap(({ written }) => written),
    built: found.flatMap(({ built }) => built),
  };
}

/** Patterns in a script of Spark, whose engine backtracks; DuckDB's takes linear time. */
export function expressionsOfSpark(sql: string): RegExp[] {
  const matches = sql.matchAll(/\b(?:RLIKE|REGEXP_REPLACE\([^']*) '([^']*)'|\bREGEXP_REPLACE\([^']*'([^']*)'/g);
  return Array.from(
    matches,
    ([, one, other]) => new RegExp((one ?? other).replaceAll("\\\\", "\\").replaceAll("\\z", "$")),
  );
}

/** Regular expressions of one source file. */
export function expressionsOf(file: string, text: string): FoundExpressions {
  const literals: FoundLiteral[] = [];
  const written: FoundLiteral[] = [];
  const built: string[] = [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineOf = (node: ts.Node) => source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  const constants = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      literals.push({ at: `${file}:${lineOf(node)}`, pattern: parseLiteral(node.text) });
    } else if (ts.isVariableDeclaration(node) && node.initializer && constantText(node.initializer) !== undefined) {
      constants.set(node.name.getText(), String(constantText(node.initializer)));
    } else if (ts.isPropertyAssignment(node) && node.name.getText() === "pattern") {
      const pattern = constantText(node.initializer) ?? constants.get(node.initializer.getText());
      if (pattern !== undefined) written.push({ at: `${file}:${lineOf(node)}`, pattern: new RegExp(pattern, "u") });
    } else if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && /\bRegExp$/.test(node.expression.getText())) {
      const name = `${file} ${declarationAround(node)}`;
      const earlier = built.filter((other) => other === name || other.startsWith(`${name} (`)).length;
      built.push(earlier === 0 ? name : `${name} (${earlier + 1})`);
    }
    node.forEachChild(visit);
  };
  visit(source);
  return { literals, written, built };
}

/** The text of a literal without substitutions; undefined for all else. */
function constantText(node: ts.Expression): string | undefined {
  const literal = ts.isTaggedTemplateExpression(node) && node.tag.getText() === "String.raw" ? node.template : node;
  if (!ts.isStringLiteralLike(literal)) return undefined;
  return literal === node ? literal.text : (literal as ts.NoSubstitutionTemplateLiteral).rawText;
}

function parseLiteral(literal: string): RegExp {
  const end = literal.lastIndexOf("/");
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}

function declarationAround(node: ts.Node): string {
  for (let around = node.parent; around !== undefined; around = around.parent) {
    if (ts.isPropertyAccessExpression(around)) continue;
    const { name } = around as ts.Node & { name?: ts.Node };
    if (name !== undefined) return name.getText();
  }
  return "";
}

const MAX_REPEATS = 128; // x{1,128} counts as bounded

/**
 * A pattern is linear by its form if it is
 * - without unbounded repetition: it looks at so many characters after each start;
 * - one repeated character, such as `\s+`: after a start it cannot fail;
 * - anchored by `^`, with one repeated character: it starts once, and has one way back.
 *
 * Repeated groups, backreferences and everything else are for a measurement.
 */
export function isLinearByForm({ source, flags }: RegExp): boolean {
  if (/\\[1-9]|\\k</.test(source) || flags.includes("v")) return false;
  const plain = source
    .replaceAll(/\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\./gs, "x")
    .replaceAll(/\[[^\]]*\]/g, "x")
    .replaceAll(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, "(");
  if (/\)[*+{]/.test(plain)) return false;
  const counts = Array.from(plain.matchAll(/[*+]|\{(\d+)(,?)(\d*)\}/g), ([, least, comma, most]) =>
    least === undefined || (comma && !most) ? Number.POSITIVE_INFINITY : Number(most || least),
  );
  const repeats = counts.filter((count) => count > MAX_REPEATS).length;
  if (repeats === 0 || /^(?:.|\(.\))\+$/.test(plain)) return true;
  return repeats === 1 && plain.startsWith("^") && !flags.includes("m") && !hasAlternatives(plain);
}

/** `a|b`, and not `(a|b)`. */
function hasAlternatives(plain: string): boolean {
  let depth = 0;
  for (const sign of plain) {
    if (sign === "(") depth++;
    else if (sign === ")") depth--;
    else if (sign === "|" && depth === 0) return true;
  }
  return false;
}
