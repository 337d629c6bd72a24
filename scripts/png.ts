// Makes a picture of a page smaller without changing a dot. Browsers filter the rows of a PNG, which suits photographs; flat colours and letters
// repeat themselves, and are packed better as they are. Format: PNG specification, sections 5 (chunks) and 9 (filters).
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = 8; // bytes before the first chunk
const bytesOfDot: Readonly<Record<number, number>> = { 2: 3, 6: 4 }; // by colour type: RGB, RGBA, of 8 bits each

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** The same dots in fewer bytes; as it came where that does not help. For 8 bits a colour, not interlaced, as browsers write it. */
export function repackPng(png: Buffer): Buffer {
  const chunks = chunksOf(png);
  const packed = deflateSync(unfiltered(chunks), { level: 9, memLevel: 9 });
  const written = Buffer.concat([
    png.subarray(0, SIGNATURE),
    ...[
      ...chunks.filter(({ type }) => type === "IHDR"),
      { type: "IDAT", data: packed },
      { type: "IEND", data: Buffer.alloc(0) },
    ].map(chunkBytes),
  ]);
  return written.length < png.length ? written : png;
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

function chunkBytes({ type, data }: Chunk): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, "latin1");
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/** Rows as they are, each behind a 0: "no filter". */
function unfiltered(chunks: readonly Chunk[]): Buffer {
  const header = chunks[0].data;
  const [width, height, bits, colour, interlace] = [
    header.readUInt32BE(0),
    header.readUInt32BE(4),
    header[8],
    header[9],
    header[12],
  ];
  const dot = bytesOfDot[colour];
  if (bits !== 8 || dot === undefined || interlace !== 0)
    throw new Error(
      `repackPng: expected 8 bits of RGB or RGBA without interlacing, got ${bits}, ${colour}, ${interlace}`,
    );
  const rows = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data)));
  const stride = 1 + width * dot;
  for (let y = 0; y < height; y++) {
    const row = y * stride;
    const filter = rows[row];
    rows[row] = 0;
    for (let x = 1; x < stride; x++) {
      const left = x > dot ? rows[row + x - dot] : 0;
      const above = y > 0 ? rows[row + x - stride] : 0;
      const corner = x > dot && y > 0 ? rows[row + x - stride - dot] : 0;
      rows[row + x] += predicted(filter, left, above, corner); // modulo 256, as bytes are
    }
  }
  return rows;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) >> 1;
    case 4:
      return paeth(left, above, corner);
    default:
      return 0;
  }
}

/** The neighbour that is nearest to left + above − corner. */
function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [a, b, c] = [left, above, corner].map((value) => Math.abs(guess - value));
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}
