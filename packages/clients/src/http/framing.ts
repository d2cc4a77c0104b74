/** The length of a body, and the reuse of its connection, by the head (RFC 9112, 6.3 and 9.3). */
export interface Framing {
  readonly lengthBytes: number | 'chunked' | 'until_end';
  /** The time that the connection may be idle before the next request. 0: it must not be used again. */
  readonly restMs: number;
}

/** Most servers close idle connections after 5 s or more. */
export const usualRestMs = 4_000;
/** How much sooner the relay closes a connection than its server announces. */
const marginMs = 2_000;
const mostRestMs = 600_000;

/**
 * Reads a head of valid form. Returns `undefined` if the head contradicts itself, as in response smuggling: two
 * lengths, even equal ones, or a length and a transfer coding.
 */
export function framingOf(head: string): Framing | undefined {
  let length: number | undefined;
  let hasTransferCoding = false;
  let isChunked = false;
  let keeps = head.startsWith('1.1', 5);
  let closes = false;
  let restMs = usualRestMs;
  for (let start = head.indexOf('\n') + 1; start < head.length - 2; ) {
    const end = head.indexOf('\r', start);
    const name = framingName(head, start);
    if (name !== undefined) {
      const value = head.slice(start + name.length + 1, end);
      if (name === 'content-length') {
        if (length !== undefined) return undefined;
        length = lengthIn(value);
        if (length === undefined) return undefined;
      } else if (name === 'transfer-encoding') {
        // The last coding counts, in the last header that names one.
        if (/[^\t ]/.test(value)) {
          hasTransferCoding = true;
          isChunked = /(?:^|,)[\t ]*chunked[\t ]*$/i.test(value);
        }
      } else if (name === 'connection') {
        if (/close/i.test(value)) closes = true;
        else if (/(?:^|,)[\t ]*keep-alive[\t ]*(?:,|$)/i.test(value)) keeps = true;
      } else {
        const seconds = /timeout=(\d{1,9})/i.exec(value)?.[1];
        if (seconds !== undefined) restMs = Math.min(Number(seconds) * 1_000 - marginMs, mostRestMs);
      }
    }
    start = end + 2;
  }
  if (hasTransferCoding && length !== undefined) return undefined;
  const lengthBytes = isChunked ? 'chunked' : hasTransferCoding ? 'until_end' : (length ?? 'until_end');
  return { lengthBytes, restMs: keeps && !closes ? Math.max(0, restMs) : 0 };
}

/** The name of a header that frames, in lower case. First letter and length exclude most others. */
function framingName(head: string, start: number): string | undefined {
  const first = head.charCodeAt(start) | 0x20;
  if (first !== 0x63 && first !== 0x6b && first !== 0x74) return undefined;
  const colon = head.indexOf(':', start);
  const length = colon - start;
  if (length !== 10 && length !== 14 && length !== 17) return undefined;
  const name = head.slice(start, colon).toLowerCase();
  return framingNames.has(name) ? name : undefined;
}

const framingNames = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

const mostLength = 2n ** 64n - 1n;

/** `undefined` unless it is a number of 64 bits. */
function lengthIn(value: string): number | undefined {
  const digits = /^[\t ]*(\d+)[\t ]*$/.exec(value)?.[1];
  if (digits === undefined) return undefined;
  return digits.length < 16 || BigInt(digits) <= mostLength ? Number(digits) : undefined;
}
