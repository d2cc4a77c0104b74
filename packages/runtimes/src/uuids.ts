import { randomFillSync } from 'node:crypto';

const mostAtOnce = 128;

const hexDigits = Buffer.from('0123456789abcdef');

/**
 * Creates random UUIDs (RFC 9562, version 4). Writes many at once as bytes, since `randomUUID` joins each from 20
 * strings. The first is written by itself, because some processes need no more.
 */
export function createUuids(): () => string {
  let count = 1;
  let random: Buffer = Buffer.alloc(0);
  let written: Buffer = Buffer.alloc(0);
  let at = 0;
  const writeMore = () => {
    if (written.length < mostAtOnce * 36) {
      random = Buffer.allocUnsafeSlow(count * 16);
      written = Buffer.allocUnsafeSlow(count * 36);
      count = mostAtOnce;
    }
    randomFillSync(random);
    writeUuids(random, written);
    at = 0;
  };
  return () => {
    if (at === written.length) writeMore();
    at += 36;
    return written.toString('latin1', at - 36, at);
  };
}

function writeUuids(random: Buffer, written: Buffer): void {
  let at = 0;
  for (let i = 0; i < random.length; i += 1) {
    const place = i % 16;
    let byte = random[i] as number;
    if (place === 6) byte = (byte & 0x0f) | 0x40;
    else if (place === 8) byte = (byte & 0x3f) | 0x80;
    if (place === 4 || place === 6 || place === 8 || place === 10) {
      written[at] = dash;
      at += 1;
    }
    written[at] = hexDigits[byte >> 4] as number;
    written[at + 1] = hexDigits[byte & 0xf] as number;
    at += 2;
  }
}

const dash = 0x2d;
