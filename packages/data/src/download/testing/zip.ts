// A zip writer of twenty lines, which writes what it is told, also what no zip should hold.
import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  name: string;
  data?: string | Buffer;
  /** Unix mode, with the file type. @default none */
  mode?: number;
  /** Instead of the right one. */
  crc32?: number;
  /** Size that is declared instead of the right one. */
  size?: number;
  /** General purpose flags; 1 is encrypted. @default 0 */
  flags?: number;
}

export function zip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const data = Buffer.from(entry.data ?? "");
    const packed = deflateRawSync(data);
    const name = Buffer.from(entry.name);
    // From "version needed" to "extra field length": the same in both headers.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(entry.flags ?? 0, 2);
    common.writeUInt16LE(8, 4); // deflate
    common.writeUInt32LE(entry.crc32 ?? crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(entry.size ?? data.length, 18);
    common.writeUInt16LE(name.length, 22);
    parts.push(Buffer.from("PK\x03\x04"), common, name, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((entry.mode ?? 0) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x03"), common, rest, name);
    offset += 4 + common.length + name.length + packed.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(listing.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, listing, Buffer.from("PK\x05\x06"), end]);
}
