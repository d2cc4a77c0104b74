/** Pictures as a PDF can hold them. What is broken, too large or of another kind is no picture here. */
import { createInflate, deflateSync, inflateSync } from 'node:zlib';
import type { UploadedFile } from '@form-relay/core/index';

/** All of a PDF's pictures together. */
export const mostPictureBytes = 10_000_000;
const mostPixels = 25_000_000;
/** A picture that can be seen through is unpacked in memory. */
const mostPixelsUnpacked = 4_000_000;

/** The bytes of a PNG or JPEG that pdfkit embeds as they are; `undefined` if there is nothing to show. */
export async function pictureOf({ type, bytes }: UploadedFile): Promise<Uint8Array | undefined> {
  if (bytes.length > mostPictureBytes) return undefined;
  if (type === 'image/jpeg') return isWholeJpeg(bytes) ? bytes : undefined;
  return type === 'image/png' ? pngOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)) : undefined;
}

/** Follows its segments to the one with its size, which must come before the picture itself (ITU T.81, B.1.1). */
function isWholeJpeg(bytes: Uint8Array): boolean {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (data.length < 4 || data.readUInt16BE(0) !== 0xffd8) return false;
  for (let at = 2; at + 10 <= data.length; ) {
    if (data[at] !== 0xff) return false;
    const marker = data[at + 1] as number;
    // Baseline and progressive, of Huffman codes: other kinds are shown by few.
    if (marker === 0xc0 || marker === 0xc1 || marker === 0xc2) {
      const [height, width, parts] = [data.readUInt16BE(at + 5), data.readUInt16BE(at + 7), data[at + 9]];
      const isDrawn = width > 0 && height > 0 && width * height <= mostPixels;
      return isDrawn && data[at + 4] === 8 && [1, 3, 4].includes(parts as number) && hasEnd(data);
    }
    if (marker === 0xda || (marker >= 0xc3 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8))
      return false;
    at += marker === 0xff ? 1 : 2 + data.readUInt16BE(at + 2);
  }
  return false;
}

/** Cameras may write something behind it. */
const hasEnd = (data: Buffer) => data.lastIndexOf(Buffer.from([0xff, 0xd9])) > 0;

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** By colour type (PNG, 11.2.2). */
const samples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/**
 * A PNG with no more in it than its picture, on white where one could see through: pdfkit would unpack transparency in a
 * callback, where a damaged picture would end the process.
 */
async function pngOf(file: Buffer): Promise<Buffer | undefined> {
  const chunks = chunksOf(file);
  const header = chunks?.find(({ type }) => type === 'IHDR')?.data;
  if (!chunks || header?.length !== 13) return undefined;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [bits = 0, colours = 0, compression, filter, interlaced] = header.subarray(8);
  const count = samples[colours];
  if (!count || ![1, 2, 4, 8, 16].includes(bits) || compression || filter || interlaced) return undefined;
  if (bits < 8 && colours !== 0 && colours !== 3) return undefined;
  if (width === 0 || height === 0 || width * height > mostPixels) return undefined;
  const isSeenThrough = colours === 4 || colours === 6;
  if (isSeenThrough && width * height > mostPixelsUnpacked) return undefined;
  const rowBytes = Math.ceil((width * count * bits) / 8);
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const wanted = (rowBytes + 1) * height;
  if (!isSeenThrough) {
    const palette = chunks.find(({ type }) => type === 'PLTE')?.data;
    if (colours === 3 && (bits === 16 || !palette?.length || palette.length % 3 !== 0)) return undefined;
    if (!(await unpacksTo(packed, wanted))) return undefined;
    const clear = chunks.find(({ type }) => type === 'tRNS')?.data;
    return pngFrom([
      ['IHDR', header],
      ...(palette && colours === 3 ? [['PLTE', onWhite(palette, clear)] as const] : []),
      ['IDAT', packed],
    ]);
  }
  if (bits < 8) return undefined;
  try {
    const rows = inflateSync(packed, { maxOutputLength: wanted });
    if (rows.length !== wanted || !unfilter(rows, rowBytes, (count * bits) / 8)) return undefined;
    const flat = flatten(rows, rowBytes, { width, height, count, bytes: bits / 8 });
    const flatHeader = Buffer.from(header);
    flatHeader[8] = 8;
    flatHeader[9] = colours === 4 ? 0 : 2;
    return pngFrom([
      ['IHDR', flatHeader],
      ['IDAT', deflateSync(flat)],
    ]);
  } catch {
    return undefined;
  }
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

function chunksOf(file: Buffer): readonly Chunk[] | undefined {
  if (!file.subarray(0, 8).equals(signature)) return undefined;
  const chunks: Chunk[] = [];
  for (let at = 8; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    if (at + 12 + length > file.length) return undefined;
    if (type === 'IEND') return chunks;
    chunks.push({ type, data: file.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return undefined;
}

/** Whether it is whole, without keeping what comes out of it, which may be a thousand times as much. */
const unpacksTo = (packed: Buffer, wanted: number): Promise<boolean> =>
  new Promise((resolve) => {
    let found = 0;
    const inflate = createInflate();
    const end = (isWhole: boolean) => {
      resolve(isWhole);
      inflate.destroy();
    };
    inflate.on('data', (piece: Buffer) => {
      found += piece.length;
      if (found > wanted) end(false);
    });
    inflate.on('end', () => end(found === wanted));
    inflate.on('error', () => end(false));
    inflate.end(packed);
  });

/** A palette as it looks on paper. */
function onWhite(palette: Buffer, clear: Buffer | undefined): Buffer {
  const flat = Buffer.from(palette);
  for (let at = 0; clear && at < flat.length; at += 1) {
    const alpha = clear[Math.floor(at / 3)] ?? 255;
    flat[at] = blended(flat[at] as number, alpha);
  }
  return flat;
}

const blended = (value: number, alpha: number) => Math.round((value * alpha + 255 * (255 - alpha)) / 255);

/** Takes back the filter of each row, in place (PNG, 9.2). `false`: it has one that does not exist. */
function unfilter(rows: Buffer, rowBytes: number, step: number): boolean {
  for (let row = 0; row < rows.length; row += rowBytes + 1) {
    const kind = rows[row] as number;
    if (kind > 4) return false;
    if (kind === 0) continue;
    const above = row - rowBytes - 1;
    for (let index = 1; index <= rowBytes; index += 1) {
      const left = index > step ? (rows[row + index - step] as number) : 0;
      const up = above >= 0 ? (rows[above + index] as number) : 0;
      const corner = above >= 0 && index > step ? (rows[above + index - step] as number) : 0;
      const guess = [0, left, up, (left + up) >> 1][kind] ?? nearestOf(left, up, corner);
      rows[row + index] = ((rows[row + index] as number) + guess) & 255;
    }
  }
  return true;
}

/** Paeth's predictor (PNG, 9.4). */
function nearestOf(left: number, up: number, corner: number): number {
  const [toLeft, toUp, toCorner] = [
    Math.abs(up - corner),
    Math.abs(left - corner),
    Math.abs(left + up - 2 * corner),
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Samples of a pixel, the last of which says how much is seen. */
  readonly count: number;
  /** Of a sample; the first is its larger part. */
  readonly bytes: number;
}

function flatten(rows: Buffer, rowBytes: number, { width, height, count, bytes }: Pixels): Buffer {
  const colours = count - 1;
  const flat = Buffer.alloc((width * colours + 1) * height);
  let to = 0;
  for (let y = 0; y < height; y += 1) {
    to += 1;
    let from = y * (rowBytes + 1) + 1;
    for (let x = 0; x < width; x += 1) {
      const alpha = rows[from + colours * bytes] as number;
      for (let sample = 0; sample < colours; sample += 1)
        flat[to++] = blended(rows[from + sample * bytes] as number, alpha);
      from += count * bytes;
    }
  }
  return flat;
}

const pngFrom = (chunks: readonly (readonly [type: string, data: Buffer])[]): Buffer =>
  Buffer.concat([
    signature,
    ...[...chunks, ['IEND', Buffer.alloc(0)] as const].flatMap(([type, data]) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(data.length);
      // pdfkit reads no checksums, and writes none.
      return [length, Buffer.from(type, 'latin1'), data, Buffer.alloc(4)];
    }),
  ]);
