// The smallest ONNX model with the interface of a text encoder: hidden states are rows of a table, looked up by token.
// Field numbers are those of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto

const FLOAT = 1;
const INT64 = 7;

type Field = [number: number, value: number | string | Uint8Array];

/** A protobuf message: numbers as varints, everything else with its length before it. */
function message(...fields: Field[]): Uint8Array {
  const bytes = fields.flatMap(([number, value]) => {
    if (typeof value === "number") return [...varint(number << 3), ...varint(value)];
    const content = typeof value === "string" ? new TextEncoder().encode(value) : value;
    return [...varint((number << 3) | 2), ...varint(content.length), ...content];
  });
  return Uint8Array.from(bytes);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
}

/** `ValueInfoProto`: a tensor of this type whose sizes are names or numbers. */
function valueInfo(name: string, type: number, sizes: readonly (string | number)[]): Uint8Array {
  const shape = message(...sizes.map((size): Field => [1, message([typeof size === "string" ? 2 : 1, size])]));
  return message([1, name], [2, message([1, message([1, type], [2, shape])])]);
}

/** A model in which `last_hidden_state[b, t] = table[input_ids[b, t]]`; the table is (tokens, d). */
export function gatherModel(table: Float32Array, d: number): Uint8Array {
  const tokens = table.length / d;
  const raw = new Uint8Array(table.buffer, table.byteOffset, table.byteLength);
  const initializer = message([1, tokens], [1, d], [2, FLOAT], [8, "table"], [9, raw]);
  const gather = message([1, "table"], [1, "input_ids"], [2, "last_hidden_state"], [3, "look up"], [4, "Gather"]);
  const graph = message(
    [1, gather],
    [2, "tiny"],
    [5, initializer],
    ...["input_ids", "attention_mask", "token_type_ids"].map(
      (name): Field => [11, valueInfo(name, INT64, ["batch", "length"])],
    ),
    [12, valueInfo("last_hidden_state", FLOAT, ["batch", "length", d])],
  );
  return message([1, 8], [7, graph], [8, message([1, ""], [2, 17])]); // IR version 8, operator set 17
}
