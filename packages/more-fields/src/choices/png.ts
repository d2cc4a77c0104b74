const start = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const mostChunks = 1_000;

/** Bits per sample that each colour type allows (PNG, table 11.1). */
const depths: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/** In pixels; `undefined` if the bytes are something else, or more than the image. Reads chunks (PNG, 5.3), inflates nothing. */
export function pngSize(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!file.subarray(0, start.length).equals(start)) return undefined;
  const chunks: string[] = [];
  let at = start.length;
  while (at + 12 <= file.length && chunks.length < mostChunks) {
    const type = file.toString('latin1', at + 4, at + 8);
    if (!/^[A-Za-z]{4}$/.test(type)) return undefined;
    chunks.push(type);
    at += 12 + file.readUInt32BE(at);
    if (type === 'IEND') break;
  }
  const isWhole = at === file.length && chunks[0] === 'IHDR' && chunks.at(-1) === 'IEND';
  const isOnce = chunks.lastIndexOf('IHDR') === 0 && chunks.includes('IDAT') && !chunks.includes('acTL');
  if (!isWhole || !isOnce || file.readUInt32BE(8) !== 13) return undefined;
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const [depth = 0, colour = 0, compression, filter, interlace = 2] = file.subarray(24, 29);
  const isKnown = depths[colour]?.includes(depth) && compression === 0 && filter === 0 && interlace < 2;
  return isKnown && width > 0 && height > 0 ? { width, height } : undefined;
}
