// NumPy's .npy files (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html), the part that vectors and ids need.
//   6 bytes "\x93NUMPY", 2 of version, 2 or 4 of header length, the header as a Python dictionary, then the elements
import { NearkinError, type Tensor, type TensorType } from "@nearkin/core";

const TYPES: Readonly<Record<string, TensorType>> = {
  "<f8": "F64",
  "<f4": "F32",
  "<f2": "F16",
  "<i8": "I64",
  "<i4": "I32",
};

const ARRAYS = {
  F64: Float64Array,
  F32: Float32Array,
  F16: Uint16Array,
  I64: BigInt64Array,
  I32: Int32Array,
  U8: Uint8Array,
};

/** The array of a .npy file, row-major. Throws `BAD_FILE`. */
export function decodeNpy(bytes: Uint8Array): Tensor {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 10 || new TextDecoder("latin1").decode(bytes.subarray(0, 6)) !== "\x93NUMPY") {
    throw bad("a file begins with \\x93NUMPY and a version; this is something else, or cut short");
  }
  const prefix = bytes[6] === 1 ? 10 : 12;
  if (bytes.length < prefix) throw bad("it is cut short");
  const start = prefix + (prefix === 10 ? view.getUint16(8, true) : view.getUint32(8, true));
  if (start > bytes.length)
    throw bad(`the header should end at byte ${start}, the file has ${bytes.length}; it may be cut short`);
  const header = new TextDecoder("latin1").decode(bytes.subarray(prefix, start));
  const descr = /'descr':\s*'([^']*)'/.exec(header)?.[1];
  const fortran = /'fortran_order':\s*(True|False)/.exec(header)?.[1];
  const sizes = /'shape':\s*\(([\d,\s]*)\)/.exec(header)?.[1];
  if (descr === undefined || fortran === undefined || sizes === undefined) {
    throw bad(`the header must give descr, fortran_order and shape, got ${header.trim()}`);
  }
  const type = TYPES[descr];
  if (!type) throw bad(`elements of type ${descr} are not read; save them as ${Object.keys(TYPES).join(", ")}`);
  const shape = sizes.split(",").flatMap((size) => (size.trim() === "" ? [] : Number(size)));
  const count = shape.reduce((product, size) => product * size, 1);
  const Arrays = ARRAYS[type];
  const expected = count * Arrays.BYTES_PER_ELEMENT;
  if (bytes.length - start !== expected) {
    throw bad(
      `${descr} of shape [${shape}] takes ${expected} bytes, ${bytes.length - start} follow the header; it may be cut short`,
    );
  }
  const data = new Arrays(new Uint8Array(bytes.subarray(start)).buffer); // a copy: the elements need not lie aligned
  const tensor = { type, shape, data } as Tensor;
  return fortran === "True" && shape.length === 2 ? rowMajor(tensor) : tensor;
}

function rowMajor(tensor: Tensor): Tensor {
  const [n, d] = tensor.shape;
  const from = tensor.data as Float64Array; // whichever it is
  const to = from.slice();
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) to[i * d + j] = from[j * n + i];
  return { ...tensor, data: to } as Tensor;
}

const bad = (problem: string) => new NearkinError("BAD_FILE", `npy: ${problem}`);
