// All parameters of a model in one flat vector: one AdamW step, one copy and one hash for all of them. Matrices that decay come
// first, so that two steps (with and without decay) cover two runs of one vector.
import { NearkinError } from "../errors.ts";
import { checkVector, Matrix } from "../linalg/matrix.ts";

export interface ParameterSpec {
  readonly name: string;
  readonly rows: number;
  readonly cols: number;
  /** Weight decay pulls it towards 0: matrices that multiply, not biases or scales. */
  readonly decay: boolean;
}

export interface ParameterTensor extends ParameterSpec {
  /** Of its first element in the flat vector; elements row by row. */
  readonly offset: number;
}

export interface ParameterLayout {
  /** Elements of the flat vector. */
  readonly size: number;
  /** The first so many elements decay. */
  readonly decayed: number;
  /** In the order of their offsets. */
  readonly tensors: readonly ParameterTensor[];
}

/** Parameters by name; so are gradients. */
export type Parameters = ReadonlyMap<string, Matrix>;

/**
 * Where each parameter lies: those that decay in the order given, then the others. The same specs give the same layout.
 *
 * @example
 * const layout = layoutParameters([
 *   { name: "b", rows: 1, cols: 2, decay: false },
 *   { name: "w", rows: 3, cols: 2, decay: true },
 * ]);
 * layout.tensors.map(({ name, offset }) => [name, offset]) // => [["w", 0], ["b", 6]]
 * [layout.size, layout.decayed] // => [8, 6]
 */
export function layoutParameters(specs: readonly ParameterSpec[]): ParameterLayout {
  const names = new Set<string>();
  const tensors: ParameterTensor[] = [];
  let size = 0;
  const place = ({ name, rows, cols, decay }: ParameterSpec) => {
    if (names.has(name)) throw new NearkinError("BAD_ARGUMENT", `layoutParameters: "${name}" comes twice`);
    if (!Number.isInteger(rows) || !Number.isInteger(cols) || rows < 1 || cols < 1) {
      throw new NearkinError("BAD_ARGUMENT", `layoutParameters: "${name}" cannot be (${rows}, ${cols})`);
    }
    names.add(name);
    tensors.push({ name, rows, cols, decay, offset: size });
    size += rows * cols;
  };
  specs.filter(({ decay }) => decay).forEach(place);
  const decayed = size;
  specs.filter(({ decay }) => !decay).forEach(place);
  return { size, decayed, tensors };
}

/** Each parameter as a row-major window on `flat`, a vector of `layout.size`; they share its numbers and its life. */
export function parameterViews(layout: ParameterLayout, flat: Matrix): Parameters {
  checkVector("parameterViews: flat", flat, layout.size);
  return new Map(
    layout.tensors.map(({ name, rows, cols, offset }) => {
      const window = new Matrix(flat.storage, flat.precision, rows, cols);
      window.offset = flat.offset + offset;
      window.lease = flat.lease;
      window.generation = flat.generation;
      return [name, window];
    }),
  );
}

/** The parameter called `name`; one that is not there is an error that says so. */
export function parameter(parameters: Parameters, name: string): Matrix {
  const found = parameters.get(name);
  if (!found)
    throw new NearkinError("BAD_ARGUMENT", `there is no parameter "${name}"; was the layout made for another model?`);
  return found;
}
