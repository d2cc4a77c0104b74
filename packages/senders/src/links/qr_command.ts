/** `relay link --qr`: writes the QR code of a link into a file, as SVG or PNG. */

import { writeFile } from 'node:fs/promises';
import { crc32, deflateSync } from 'node:zlib';
import { whyUnwritten } from '@form-relay/base/text_file';
import { CommandFailed } from '@form-relay/core/command';
import { type QrCode, qrCode } from '@form-relay/pages/qr_code';
import { printable } from '@form-relay/yaml/problem';

/** @param label The text of an SVG for screen readers. */
export async function writeQrFile(file: string, link: string, label: string): Promise<void> {
  const code = await qrCode(link, label);
  try {
    await writeFile(file, /\.png$/i.test(file) ? pngOf(code) : code.svg);
  } catch (error) {
    throw new CommandFailed(`${printable(file)}: ${whyUnwritten(error)}`);
  }
  const dense = code.size > denseDots ? `; it has ${code.size} × ${code.size} dots, so print it large` : '';
  process.stderr.write(`written: ${printable(file)}${dense}\n`);
}

/** With more modules, phones can read the code only from a screen or a large print. */
const denseDots = 77;

/** The minimum width in pixels. */
const leastPixels = 1_024;

/** Black and white, one bit per pixel (PNG, second edition). */
function pngOf({ size, isDark }: QrCode): Buffer {
  const scale = Math.ceil(leastPixels / size);
  const side = size * scale;
  const rows = Array.from({ length: size }, (_, row) => {
    // The first byte of each row is the filter type: none.
    const line = Buffer.alloc(1 + Math.ceil(side / 8));
    for (let x = 0; x < side; x += 1)
      if (!isDark(Math.floor(x / scale), row))
        line[1 + (x >> 3)] = (line[1 + (x >> 3)] as number) | (0x80 >> (x & 7));
    return Array.from({ length: scale }, () => line);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1;
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}
