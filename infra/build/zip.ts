import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  /** With forward slashes. */
  readonly name: string;
  readonly content: Buffer;
}

/** 1 January 1980, the earliest that a ZIP can say. A real time would make every build another one. */
const DOS_DATE = (1 << 5) | 1;
const DOS_TIME = 0;
/** ZIP 2.0, the first version with deflate. */
const VERSION = 20;
const DEFLATED = 8;
/** Names are UTF-8. */
const FLAGS = 0x0800;
/** A regular file that all may read, as Unix has it in the upper half. */
const ATTRIBUTES = (0o100644 << 16) >>> 0;
const MADE_ON_UNIX = 3 << 8;

/**
 * A ZIP file with the same bytes for the same entries: sorted, without times. For small archives: no ZIP64, so entries
 * and archive stay below 4 GiB. The format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = Buffer.from(name);
    const packed = deflateRawSync(content, { level: 9 });
    const common = commonHeader(path, content, packed);
    const local = Buffer.concat([uint32(0x04034b50), common, path, packed]);
    directory.push(centralHeader(common, path, offset));
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  return Buffer.concat([...parts, central, endOfDirectory(directory.length, central.length, offset)]);
}

const commonHeader = (path: Buffer, content: Buffer, packed: Buffer): Buffer =>
  Buffer.concat([
    ...[VERSION, FLAGS, DEFLATED, DOS_TIME, DOS_DATE].map(uint16),
    ...[crc32(content), packed.length, content.length].map(uint32),
    ...[path.length, 0].map(uint16),
  ]);

const centralHeader = (common: Buffer, path: Buffer, offset: number): Buffer =>
  Buffer.concat([
    uint32(0x02014b50),
    uint16(MADE_ON_UNIX | VERSION),
    common,
    // No comment, first disk, no internal attributes.
    ...[0, 0, 0].map(uint16),
    ...[ATTRIBUTES, offset].map(uint32),
    path,
  ]);

const endOfDirectory = (count: number, bytes: number, offset: number): Buffer =>
  Buffer.concat([uint32(0x06054b50), ...[0, 0, count, count].map(uint16), ...[bytes, offset].map(uint32), uint16(0)]);

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
