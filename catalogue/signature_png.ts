/** Reads PNG images as browsers export them from a canvas: 8 bits per sample, without interlacing. */
import { inflateSync } from 'node:zlib';

const start = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const mostPixels = 2_000;
const mostChunks = 1_000;
/** How much a sample of a drawn pixel differs from the first pixel's. */
const contrast = 48;
/** The minimum number of pixels in a drawing: a dot. */
const leastInk = 4;

/** Samples per pixel by colour type (PNG, table 11.1); 4 and 6 end with the alpha channel. */
const samplesOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Whether it is one complete image with something drawn, and no data after it. */
export function isDrawing(bytes: Uint8Array): boolean {
  const chunks = chunksOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const header = chunks?.[0];
  if (!chunks || header?.type !== 'IHDR' || header.data.length !== 13) return false;
  const types = chunks.map(({ type }) => type);
  if (types.lastIndexOf('IHDR') > 0 || types.includes('acTL')) return false;
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  const [depth, colour = 0, ...methods] = header.data.subarray(8);
  const samples = samplesOf[colour];
  if (!samples || depth !== 8 || methods.some((one) => one !== 0)) return false;
  if (width === 0 || height === 0 || width > mostPixels || height > mostPixels) return false;
  const dataOf = (wanted: string) =>
    Buffer.concat(chunks.flatMap(({ type, data }) => (type === wanted ? data : [])));
  const rows = unpacked(dataOf('IDAT'), height * (width * samples + 1));
  return rows !== undefined && hasInk(rows, { width, samples, palette: dataOf('PLTE') });
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** `undefined` if a chunk is damaged, or the file does not end with the image (PNG, 5.3). */
function chunksOf(file: Buffer): readonly Chunk[] | undefined {
  if (!file.subarray(0, start.length).equals(start)) return undefined;
  const chunks: Chunk[] = [];
  for (let at = start.length; at + 12 <= file.length && chunks.length < mostChunks; ) {
    const end = at + 8 + file.readUInt32BE(at);
    if (end + 4 > file.length || crcOf(file.subarray(at + 4, end)) !== file.readUInt32BE(end))
      return undefined;
    const type = file.toString('latin1', at + 4, at + 8);
    if (type === 'IEND') return end + 4 === file.length ? chunks : undefined;
    chunks.push({ type, data: file.subarray(at + 8, end) });
    at = end + 4;
  }
  return undefined;
}

/** Node 20 has no `crc32`. */
function crcOf(bytes: Buffer): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function unpacked(packed: Buffer, wanted: number): Buffer | undefined {
  try {
    const rows = inflateSync(packed, { maxOutputLength: wanted });
    return rows.length === wanted ? rows : undefined;
  } catch {
    return undefined;
  }
}

interface Layout {
  readonly width: number;
  readonly samples: number;
  readonly palette: Buffer;
}

/** Undoes the filter of each row in place (PNG, 9.2), and counts pixels that differ from the first. */
function hasInk(rows: Buffer, { width, samples, palette }: Layout): boolean {
  const rowBytes = width * samples;
  let first: readonly number[] | undefined;
  let ink = 0;
  for (let row = 0; row < rows.length; row += rowBytes + 1) {
    const filter = rows[row] as number;
    if (filter > 4) return false;
    for (let at = row + 1; filter > 0 && at <= row + rowBytes; at += 1) {
      const isFirst = at - samples <= row;
      const left = isFirst ? 0 : (rows[at - samples] as number);
      const up = row === 0 ? 0 : (rows[at - rowBytes - 1] as number);
      const corner = row === 0 || isFirst ? 0 : (rows[at - rowBytes - 1 - samples] as number);
      const guess = [0, left, up, (left + up) >> 1][filter] ?? paeth(left, up, corner);
      rows[at] = ((rows[at] as number) + guess) & 255;
    }
    for (let at = row + 1; at <= row + rowBytes; at += samples) {
      const pixel = colourOf(rows.subarray(at, at + samples), palette);
      first ??= pixel;
      if (pixel.some((sample, index) => Math.abs(sample - (first?.[index] ?? 0)) > contrast)) ink += 1;
    }
  }
  return ink >= leastInk;
}

/** The colour on a white background. */
function colourOf(pixel: Uint8Array, palette: Buffer): readonly number[] {
  const [index = 0] = pixel;
  if (palette.length > 0 && pixel.length === 1) return [...palette.subarray(index * 3, index * 3 + 3)];
  if (pixel.length % 2 === 1) return [...pixel];
  const opacity = (pixel.at(-1) ?? 0) / 255;
  return [...pixel.subarray(0, -1)].map((sample) => 255 - (255 - sample) * opacity);
}

/** PNG, 9.4. */
function paeth(left: number, up: number, corner: number): number {
  const [toLeft, toUp, toCorner] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
