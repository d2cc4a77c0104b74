import { isLoopback, parseUrl } from '@form-relay/relay/base';
import { printable } from '@form-relay/relay/config';
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
  return { name: file, url: undefined, ...decodePage(await readBytes(file), undefined) };
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
    return { name: url.href, url, ...decodePage(bytes, /charset="?([\w-]+)/i.exec(type)?.[1]) };
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

/** HTML: a byte order mark says the encoding, else the server, else the page's `<meta charset>`; else UTF-8 is likely. */
export function decodePage(bytes: Buffer, charset: string | undefined): Pick<ReadPage, 'text' | 'encoding'> {
  const start = bytes.subarray(0, 1024).toString('latin1');
  const [, mark = ''] = /^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/.exec(start) ?? [];
  const declared = marks[mark] ?? charset ?? /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(start)?.[1];
  const decoder = isEncoding(declared) ? new TextDecoder(declared) : new TextDecoder();
  return { text: decoder.decode(bytes), encoding: decoder.encoding };
}

const marks: Readonly<Record<string, string>> = {
  '\xef\xbb\xbf': 'utf-8',
  '\xff\xfe': 'utf-16le',
  '\xfe\xff': 'utf-16be',
};

function isEncoding(label: string | undefined): boolean {
  try {
    return new TextDecoder(label) !== undefined;
  } catch {
    return false;
  }
}
