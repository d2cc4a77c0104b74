/** A plan of a room, drawn with a pencil, as a PNG. */
import { deflateSync } from 'node:zlib';

const width = 320;
const height = 220;

const table = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function chunk(type: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  let crc = -1;
  for (const byte of body) crc = (table[(crc ^ byte) & 255] as number) ^ (crc >>> 8);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length, 0);
  ends.writeUInt32BE((crc ^ -1) >>> 0, 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** @param nth Another room for each. */
export function sketch(nth: number): Buffer {
  // Grey, a byte a pixel, and a byte before each line.
  const rows = Buffer.alloc((width + 1) * height, 250);
  for (let y = 0; y < height; y += 1) rows[y * (width + 1)] = 0;
  const box = (left: number, top: number, right: number, bottom: number, line: number) => {
    for (let y = top; y <= bottom; y += 1)
      for (let x = left; x <= right; x += 1) {
        const isEdge = x < left + line || x > right - line || y < top + line || y > bottom - line;
        if (isEdge) rows[y * (width + 1) + 1 + x] = 70 + ((x * 7 + y * 13) % 40);
      }
  };
  const wide = 190 + (nth % 5) * 20;
  box(16, 16, 16 + wide, 200, 5);
  box(21, 21, 21 + wide - 60, 62, 2);
  for (let nth = 0; nth < 3; nth += 1) box(30 + nth * 42, 28, 62 + nth * 42, 56, 1);
  box(40 + (nth % 7) * 8, 104, 130 + (nth % 7) * 8, 160, 2);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    ...[signature, chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))],
  ]);
}
