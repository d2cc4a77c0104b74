import { isUtf8 } from 'node:buffer';
import { ownersText, wideEncoding } from '@form-relay/base/owners_text';
import { ok, type Result } from '@form-relay/base/result';
import { isLoopback, parseUrl } from '@form-relay/base/url';
import { printable } from '@form-relay/yaml/excerpt';
import { CommandFailed } from './command_failed.ts';
import { readBytes } from './load_config.ts';
import { isAddress } from './usage.ts';

interface ReadPage {
  /** The file or address, which each problem names. */
  readonly name: string;
  readonly url: URL | undefined;
  readonly text: string;
  readonly encoding: string;
}

/** A page as a command names it: an address on this machine, or a file. */
export const readAnyPage = (page: string): Promise<ReadPage> =>
  isAddress(page) ? fetchPage(new URL(page)) : readPageFile(page);

async function readPageFile(file: string): Promise<ReadPage> {
  const page = decodePage(await readBytes(file), undefined);
  if (!page.ok) throw new CommandFailed(`${file}: ${page.error}`);
  return { name: file, url: undefined, ...page.value };
}

const timeoutMs = 5_000;
const maxBytes = 5_000_000;

/** Follows redirects as long as they stay on this machine. */
export async function fetchPage(url: URL, redirects = 0): Promise<ReadPage> {
  const failed = (why: string) => new CommandFailed(`${url.href}: ${why}`);
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url.href, { redirect: 'manual', signal, headers: { accept: 'text/html' } });
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      const next = parseUrl(location, url);
      if (!next || !isLoopback(next.hostname))
        throw failed('this leads away from this machine; save the page to a file and check that');
      if (redirects === 5) throw failed('redirected more than 5 times');
      return await fetchPage(next, redirects + 1);
    }
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok) throw failed(`answered ${response.status}; expected a page`);
    if (!/^(text\/html|application\/xhtml\+xml)\b/i.test(type))
      throw failed(`expected HTML, found ${printable(type) || 'no Content-Type'}`);
    const bytes = await readAll(response);
    if (!bytes) throw failed('the page is over 5 MB');
    const page = decodePage(bytes, /charset="?([\w-]+)/i.exec(type)?.[1]);
    if (!page.ok) throw failed(page.error);
    return { name: url.href, url, ...page.value };
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    if (signal.aborted) throw failed(`no answer within ${timeoutMs / 1000} s`);
    const { cause } = error as { cause?: NodeJS.ErrnoException };
    throw failed(`it cannot be fetched (${cause?.code ?? cause?.message ?? 'network error'})`);
  }
}

/** `undefined` when it is too long. */
async function readAll({ body }: Response): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type Decoded = Pick<ReadPage, 'text' | 'encoding'>;

/**
 * As browsers do: a byte order mark says the encoding, else the server, else the page. A page that says nothing is in what its
 * bytes look like. Unlike browsers, it rejects what is no UTF-8 in a page that should be.
 */
export function decodePage(bytes: Buffer, charset: string | undefined): Result<Decoded, string> {
  const said = [markOf(bytes), charset, charsetIn(bytes.toString('latin1'))].find(isEncoding);
  const encoding =
    said ?? wideEncoding(bytes)?.replace(' ', '') ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252');
  const decoder = isEncoding(encoding) ? new TextDecoder(encoding) : undefined;
  if (decoder && decoder.encoding !== 'utf-8')
    return ok({ text: withSigns(decoder.decode(bytes), decoder.encoding), encoding: decoder.encoding });
  const text = ownersText(bytes);
  return text.ok ? ok({ text: text.value.replace(/^\uFEFF/, ''), encoding: 'utf-8' }) : text;
}

/** Node's decoder leaves 27 bytes of Windows-1252 as control characters (https://encoding.spec.whatwg.org/#index-windows-1252). */
const withSigns = (text: string, encoding: string) =>
  encoding === 'windows-1252'
    ? text.replaceAll(/[\x80-\x9f]/g, (byte) => signs[byte.charCodeAt(0) - 0x80] ?? byte)
    : text;
const signs = [...'€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'];

function markOf(bytes: Buffer): string | undefined {
  const [mark = ''] = /^(?:efbbbf|fffe|feff)/.exec(bytes.toString('hex', 0, 3)) ?? [];
  return { efbbbf: 'utf-8', fffe: 'utf-16le', feff: 'utf-16be' }[mark];
}

/** The encoding that a page's own markup names. HTML takes UTF-16 there for UTF-8, since the markup could not be read otherwise. */
function charsetIn(page: string): string | undefined {
  const [, xml] = /^\s*<\?xml[^>]+encoding\s*=\s*["']([^"']+)/.exec(page) ?? [];
  const tags = page.replaceAll(/<!--[\s\S]*?-->/g, '').match(/<meta[\s/][^>]*/gi) ?? [];
  const [label] = tags
    .filter((tag) => !/\s(?:name|property)\s*=/i.test(tag))
    .flatMap((tag) => /\bcharset\s*=\s*["']?\s*([^\s"';/>]+)/i.exec(tag)?.[1] ?? []);
  const said = label ?? xml;
  return /^utf-16/i.test(said ?? '') ? 'utf-8' : said;
}

function isEncoding(label: string | undefined): label is string {
  try {
    return label !== undefined && new TextDecoder(label) !== undefined;
  } catch {
    return false;
  }
}
