/** Images in a PDF. Broken and oversized files, and other file types, are not shown. */
/// <reference path="./libraries.d.ts" />
import { createInflate } from 'node:zlib';
import type { UploadedFile } from '@form-relay/core/index';
import type { default as PDFDocument, Picture } from 'pdfkit';

/** The limit for all images of a PDF together. */
const mostPictureBytes = 10_000_000;
const mostPictureHeight = 320;
/** An image is never shown larger than on a screen. */
const pointsAPixel = 0.75;
const mostPixels = 25_000_000;
/** pdfkit decompresses an image with transparency in memory. */
const mostPixelsUnpacked = 4_000_000;

/** An image with its size on the page, in points. */
export interface Sized {
  readonly picture: Picture;
  readonly across: number;
  readonly down: number;
}

/** The images of one document. */
export class Pictures {
  readonly #document: PDFDocument;
  readonly #width: number;
  #bytes = 0;

  /** @param width The maximum width of an image, in points. */
  constructor(document: PDFDocument, width: number) {
    this.#document = document;
    this.#width = width;
  }

  /** `undefined` if the file cannot be shown. */
  async sized(file: UploadedFile | undefined, most = mostPictureHeight): Promise<Sized | undefined> {
    if (!file || this.#bytes + file.bytes.length > mostPictureBytes) return undefined;
    const bytes = await pictureOf(file);
    const picture = bytes && this.#opened(bytes);
    if (!bytes || !picture) return undefined;
    this.#bytes += bytes.length;
    const isTurned = (picture.orientation ?? 1) > 4;
    const [width, height] = isTurned ? [picture.height, picture.width] : [picture.width, picture.height];
    const scale = Math.min(pointsAPixel, this.#width / width, most / height);
    return { picture, across: width * scale, down: height * scale };
  }

  #opened(bytes: Uint8Array): Picture | undefined {
    try {
      return this.#document.openImage(bytes);
    } catch {
      return undefined;
    }
  }
}

/** The bytes of a PNG or JPEG that pdfkit embeds unchanged; `undefined` if there is nothing to show. */
async function pictureOf({ type, bytes }: UploadedFile): Promise<Uint8Array | undefined> {
  if (type === 'image/jpeg') return isWholeJpeg(bytes) ? bytes : undefined;
  return type === 'image/png' ? pngOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)) : undefined;
}

/** Checks the segments up to the one with the size, which comes before the image data (ITU T.81, B.1.1). */
function isWholeJpeg(bytes: Uint8Array): boolean {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (data.length < 4 || data.readUInt16BE(0) !== 0xffd8) return false;
  for (let at = 2; at + 10 <= data.length; ) {
    if (data[at] !== 0xff) return false;
    const marker = data[at + 1] as number;
    // Baseline and progressive with Huffman coding. Few readers show other kinds.
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

/** Cameras may append data after the end. */
const hasEnd = (data: Buffer) => data.lastIndexOf(Buffer.from([0xff, 0xd9])) > 0;

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

interface PixelKind {
  readonly samples: number;
  /** The allowed sample depths. */
  readonly bits: readonly number[];
}

/** By colour type (PNG, 11.2.2). In the last two, the last sample is the alpha channel. */
const pixelKinds: Readonly<Record<number, PixelKind>> = {
  0: { samples: 1, bits: [1, 2, 4, 8, 16] },
  2: { samples: 3, bits: [8, 16] },
  3: { samples: 1, bits: [1, 2, 4, 8] },
  4: { samples: 2, bits: [8, 16] },
  6: { samples: 4, bits: [8, 16] },
};

/**
 * The image without optional chunks. Decompresses it once as a check, because a damaged one would crash the
 * process in a callback of pdfkit.
 */
async function pngOf(file: Buffer): Promise<Buffer | undefined> {
  const chunks = chunksOf(file);
  const dataOf = (wanted: string) => chunks?.find(({ type }) => type === wanted)?.data;
  const header = dataOf('IHDR');
  if (!chunks || header?.length !== 13) return undefined;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [bits = 0, colours = 0, compression, filter, interlaced] = header.subarray(8);
  const kind = pixelKinds[colours];
  if (!kind?.bits.includes(bits) || compression || filter || interlaced) return undefined;
  const most = colours >= 4 ? mostPixelsUnpacked : mostPixels;
  if (width === 0 || height === 0 || width * height > most) return undefined;
  const palette = colours === 3 ? dataOf('PLTE') : undefined;
  if (colours === 3 && (!palette?.length || palette.length % 3 !== 0)) return undefined;
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const rowBytes = Math.ceil((width * kind.samples * bits) / 8);
  if (!(await unpacksTo(packed, rowBytes + 1, height))) return undefined;
  return pngFrom([
    ['IHDR', header],
    ...(palette ? [['PLTE', onWhite(palette, dataOf('tRNS'))] as const] : []),
    ['IDAT', packed],
  ]);
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

/** Whether all rows are complete and start with a valid filter (PNG, 9.2). Does not keep the pixels, which may be huge. */
const unpacksTo = (packed: Buffer, rowBytes: number, rows: number): Promise<boolean> =>
  new Promise((resolve) => {
    const wanted = rowBytes * rows;
    let found = 0;
    const inflate = createInflate();
    const end = (isWhole: boolean) => {
      resolve(isWhole);
      inflate.destroy();
    };
    inflate.on('data', (piece: Buffer) => {
      const firstRow = (rowBytes - (found % rowBytes)) % rowBytes;
      found += piece.length;
      if (found > wanted) return end(false);
      for (let at = firstRow; at < piece.length; at += rowBytes) if ((piece[at] as number) > 4) end(false);
    });
    inflate.on('end', () => end(found === wanted));
    inflate.on('error', () => end(false));
    inflate.end(packed);
  });

/** Blends a palette with white paper, because pdfkit supports transparent palettes only with one byte per pixel. */
function onWhite(palette: Buffer, clear: Buffer | undefined): Buffer {
  const flat = Buffer.from(palette);
  for (let at = 0; clear && at < flat.length; at += 1) {
    const alpha = clear[Math.floor(at / 3)] ?? 255;
    flat[at] = Math.round(((flat[at] as number) * alpha + 255 * (255 - alpha)) / 255);
  }
  return flat;
}

const pngFrom = (chunks: readonly (readonly [type: string, data: Buffer])[]): Buffer =>
  Buffer.concat([
    signature,
    ...[...chunks, ['IEND', Buffer.alloc(0)] as const].flatMap(([type, data]) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(data.length);
      // pdfkit ignores checksums.
      return [length, Buffer.from(type, 'latin1'), data, Buffer.alloc(4)];
    }),
  ]);
