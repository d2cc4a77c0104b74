/**
 * A config in the fragment of an address, which browsers keep to themselves: `#1.` and the text, compressed (RFC 1951), in
 * base64url. The number is the version of this form.
 */

/** The limit of `relay dev` for a config that is typed, too. */
export const mostBytes = 65_536;
/** Longer than `mostBytes` of random text, in base64url. */
const longest = 90_000;

const version = '1.';

export type ReadFragment =
  | { readonly kind: 'none' }
  | { readonly kind: 'config'; readonly text: string }
  /** `too_long`: over 64 KB. `other_version`: of a newer page. `broken`: it holds no text. */
  | { readonly kind: 'too_long' | 'other_version' | 'broken' };

/** Rejects for no text: it may be over the limit when it is read again. */
export async function writeFragment(text: string): Promise<string> {
  const packed = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'), longest);
  if (!packed) throw new RangeError('over 64 KB');
  const letters = Array.from(packed, (byte) => String.fromCharCode(byte)).join('');
  return `#${version}${btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
}

/** A link may be hostile: none of it is parsed before all of it is text of a bounded length. Never rejects. */
export async function readFragment(fragment: string): Promise<ReadFragment> {
  const given = fragment.replace(/^#/, '');
  // An anchor of the page's own, such as #inbox.
  if (!/^\d+\./.test(given)) return { kind: 'none' };
  if (!given.startsWith(version)) return { kind: 'other_version' };
  if (given.length > longest) return { kind: 'too_long' };
  const sealed = given.slice(version.length);
  if (!/^[\w-]+$/.test(sealed)) return { kind: 'broken' };
  try {
    const letters = atob(sealed.replaceAll('-', '+').replaceAll('_', '/'));
    const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream('deflate-raw'), mostBytes);
    if (!bytes) return { kind: 'too_long' };
    return { kind: 'config', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { kind: 'broken' };
  }
}

/** `undefined` as soon as more than `most` bytes come out, whatever else would. */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  most: number,
): Promise<Uint8Array | undefined> {
  const source = new Blob([bytes]).stream().pipeThrough(stream);
  const reader = source.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      void reader.cancel().catch(() => undefined);
      return undefined;
    }
    pieces.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
