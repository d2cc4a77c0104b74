/**
 * HalfSipHash-2-4 (Aumasson and Bernstein, https://github.com/veorq/SipHash), made for tables with untrusted input and
 * for 32-bit words, JavaScript's fastest. Without the key, nobody can find collisions, so that no public list or
 * submission can imitate another entry.
 */
import { randomBytes } from 'node:crypto';

/** Hashes are integers of 53 bits, which JavaScript represents exactly. None is 0. */
interface KeyedHash {
  ofText(text: string): number;
  /** The hash of an ordered pair, to build a phrase's hash from its words'. */
  ofPair(first: number, second: number): number;
}

export function createKeyedHash(key0: number, key1: number): KeyedHash {
  let v0 = 0;
  let v1 = 0;
  let v2 = 0;
  let v3 = 0;

  function begin(): void {
    v0 = key0;
    v1 = key1 ^ 0xee;
    v2 = key0 ^ 0x6c796765;
    v3 = key1 ^ 0x74656462;
  }

  function rounds(times: number): void {
    for (let time = 0; time < times; time += 1) {
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
    }
  }

  function add(word: number): void {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  }

  function end(): number {
    v2 ^= 0xee;
    rounds(4);
    const low = (v1 ^ v3) >>> 0;
    v1 ^= 0xdd;
    rounds(4);
    const high = (v1 ^ v3) & 0x1fffff;
    return high * 2 ** 32 + low || 1;
  }

  return {
    ofText: (text) => {
      begin();
      const { length } = text;
      // A missing last unit is NaN, which `<<` treats as 0; the length distinguishes it from a real 0.
      for (let at = 0; at < length; at += 2) add(text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16));
      add(length);
      return end();
    },
    ofPair: (first, second) => {
      begin();
      add(first | 0);
      add((first / 2 ** 32) | 0);
      add(second | 0);
      add((second / 2 ** 32) | 0);
      return end();
    },
  };
}

let own: KeyedHash | undefined;

/** With a random key for this process. */
export function keyedHash(): KeyedHash {
  if (!own) {
    const key = randomBytes(8);
    own = createKeyedHash(key.readInt32LE(0), key.readInt32LE(4));
  }
  return own;
}
