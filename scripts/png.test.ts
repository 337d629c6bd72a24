import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { repackPng } from "./png.ts";

/** A PNG of the given filtered rows; checksums are not looked at. */
function png(width: number, colour: number, rows: readonly number[][]): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type, "latin1"), data, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(rows.length, 4);
  header.set([8, colour, 0, 0, 0], 8);
  const remark = chunk("tEXt", Buffer.alloc(400)); // makes the repacked one the smaller one
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    remark,
    chunk("IDAT", deflateSync(Buffer.from(rows.flat()))),
  ]);
}

test("every filter is undone", () => {
  const filtered = [
    [0, 10, 20, 30, 40, 50, 60], // as it is
    [1, 10, 20, 30, 30, 30, 30], // less the left
    [2, 0, 0, 0, 250, 0, 1], // less the one above, modulo 256
    [3, 5, 10, 15, 12, 10, 8], // less the mean of both
    [4, 1, 1, 1, 2, 2, 2], // less Paeth's choice
  ];
  const plain = [
    [0, 10, 20, 30, 40, 50, 60],
    [0, 10, 20, 30, 40, 50, 60],
    [0, 10, 20, 30, 34, 50, 61],
    [0, 10, 20, 30, 34, 45, 53],
    [0, 11, 21, 31, 36, 47, 55],
  ];
  const repacked = repackPng(png(2, 2, filtered));
  const same = repackPng(png(2, 2, plain));
  expect(repacked).toEqual(same);
});

test("what it does not read is refused", () => {
  expect(() => repackPng(png(2, 3, [[0, 1, 2]]))).toThrowErrorMatchingInlineSnapshot(
    `[Error: repackPng: expected 8 bits of RGB or RGBA without interlacing, got 8, 3, 0]`,
  );
});
