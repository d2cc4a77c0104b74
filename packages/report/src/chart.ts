/** The days of a month as a picture for PDFs: a PNG of bars in two colours. */
import { crc32, deflateSync } from 'node:zlib';

const [width, height, gap] = [1_240, 200, 8];

/** @param accent Such as `#1d4ed8`. */
export function chartOf(days: readonly number[], accent: string): Uint8Array {
  const most = Math.max(1, ...days);
  const step = width / days.length;
  const isBar = (x: number, y: number) => {
    const day = days[Math.floor(x / step)] ?? 0;
    return x % step < step - gap && height - 2 - y <= Math.max(0, (day / most) * (height - 2));
  };
  const rows = Array.from({ length: height }, (_, y) => [
    0,
    ...Array.from({ length: width }, (_, x) => Number(isBar(x, y) || y >= height - 2)),
  ]);
  const colours = Buffer.from(`ffffff${accent.slice(1)}`, 'hex');
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  // 8 bits each, which are numbers of colours.
  head.set([8, 3], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
