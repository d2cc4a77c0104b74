/**
 * Searches for the number whose SHA-256 hash, after the salt, is the challenge. Uses plain JavaScript,
 * because `crypto.subtle` is slower for such short texts, and missing on pages without HTTPS. Refers to
 * nothing outside itself, because a worker runs its source (solve.ts).
 *
 * @param salt ASCII.
 * @param challenge 64 hexadecimal digits.
 * @returns a function that tries the numbers `from` to `to`, and returns the right one, or -1.
 */
export function createSearch(salt: string, challenge: string): (from: number, to: number) => number {
  const constants = new Int32Array(64);
  const start = new Int32Array(8);
  const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0;
  for (let candidate = 2, count = 0; count < 64; candidate++) {
    let divisor = 2;
    while (divisor < candidate && candidate % divisor) divisor++;
    if (divisor < candidate) continue;
    if (count < 8) start[count] = fraction(Math.sqrt(candidate));
    constants[count++] = fraction(Math.cbrt(candidate));
  }

  // FIPS 180-4, 6.2.2.
  const w = new Int32Array(64);
  const compress = (state: Int32Array, words: Int32Array, at: number) => {
    for (let i = 0; i < 16; i++) w[i] = words[at + i] as number;
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15] as number;
      const y = w[i - 2] as number;
      const small = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const large = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[i] = ((w[i - 16] as number) + small + (w[i - 7] as number) + large) | 0;
    }
    let a = state[0] as number;
    let b = state[1] as number;
    let c = state[2] as number;
    let d = state[3] as number;
    let e = state[4] as number;
    let f = state[5] as number;
    let g = state[6] as number;
    let h = state[7] as number;
    for (let i = 0; i < 64; i++) {
      const large = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const one = (h + large + ((e & f) ^ (~e & g)) + (constants[i] as number) + (w[i] as number)) | 0;
      const small = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const two = (small + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + one) | 0;
      d = c;
      c = b;
      b = a;
      a = (one + two) | 0;
    }
    state[0] = (state[0] as number) + a;
    state[1] = (state[1] as number) + b;
    state[2] = (state[2] as number) + c;
    state[3] = (state[3] as number) + d;
    state[4] = (state[4] as number) + e;
    state[5] = (state[5] as number) + f;
    state[6] = (state[6] as number) + g;
    state[7] = (state[7] as number) + h;
  };

  // The common beginning of all texts is hashed only once. The rest of the salt and a number take one or two blocks.
  const put = (words: Int32Array, at: number, byte: number) => {
    words[at >> 2] = (words[at >> 2] as number) | (byte << (24 - (at % 4) * 8));
  };
  const beginning = start.slice();
  const whole = salt.length - (salt.length % 64);
  for (let block = 0; block < whole; block += 64) {
    const words = new Int32Array(16);
    for (let i = 0; i < 64; i++) put(words, i, salt.charCodeAt(block + i));
    compress(beginning, words, 0);
  }
  const rest = new Int32Array(32);
  for (let i = whole; i < salt.length; i++) put(rest, i - whole, salt.charCodeAt(i));
  const wanted = new Int32Array(8).map((_, i) => Number.parseInt(challenge.slice(i * 8, i * 8 + 8), 16));

  const words = new Int32Array(32);
  const state = new Int32Array(8);
  return (from, to) => {
    for (let number = from; number <= to; number++) {
      const digits = `${number}`;
      const length = salt.length - whole + digits.length;
      words.set(rest);
      for (let i = 0; i < digits.length; i++) put(words, length - digits.length + i, digits.charCodeAt(i));
      put(words, length, 0x80);
      const last = length < 56 ? 15 : 31;
      words[last] = (whole + length) * 8;
      state.set(beginning);
      for (let at = 0; at < last; at += 16) compress(state, words, at);
      if (state[0] === wanted[0] && state.every((word, i) => word === wanted[i])) return number;
    }
    return -1;
  };
}

/** The puzzle in a form's token, in ALTCHA's format (proof/challenge.ts). */
export interface Challenge {
  readonly algorithm: string;
  readonly challenge: string;
  readonly maxnumber: number;
  readonly salt: string;
  readonly signature: string;
}

/**
 * Returns the solution as Base64 of JSON; empty if there is none. Without a worker, this thread searches, in
 * slices too short to disturb typing.
 */
export async function solve(challenge: Challenge): Promise<string> {
  const number = await inWorker(challenge).catch(() => inSlices(challenge));
  const { maxnumber: _, ...known } = challenge;
  return number < 0 ? '' : btoa(JSON.stringify({ ...known, number }));
}

/**
 * A bundler may have added references to the search that are missing in a worker. The worker then fails, and
 * the search runs here.
 */
const workerCode = `postMessage(-2);onmessage=({data:[salt,challenge,most]})=>postMessage((${createSearch})(salt,challenge)(0,most))`;

/** Rejects if no worker can run: its script has a blob URL, which some pages forbid (`worker-src`). */
function inWorker({ salt, challenge, maxnumber }: Challenge): Promise<number> {
  return new Promise((resolve, reject) => {
    const url = URL.createObjectURL(new Blob([workerCode], { type: 'text/javascript' }));
    const worker = new Worker(url);
    const end = () => {
      clearTimeout(timer);
      worker.terminate();
      URL.revokeObjectURL(url);
    };
    const fail = () => {
      end();
      reject();
    };
    // Some browsers do not report that a page forbids workers.
    const timer = setTimeout(fail, 3_000);
    worker.onerror = fail;
    worker.onmessage = ({ data }) => {
      clearTimeout(timer);
      if (data === -2) return;
      end();
      resolve(data);
    };
    worker.postMessage([salt, challenge, maxnumber]);
  });
}

const sliceMs = 8;

async function inSlices({ salt, challenge, maxnumber }: Challenge): Promise<number> {
  const search = createSearch(salt, challenge);
  let from = 0;
  while (from <= maxnumber) {
    const until = performance.now() + sliceMs;
    while (from <= maxnumber && performance.now() < until) {
      const found = search(from, Math.min(from + 499, maxnumber));
      if (found >= 0) return found;
      from += 500;
    }
    await new Promise((resolve) => setTimeout(resolve));
  }
  return -1;
}
