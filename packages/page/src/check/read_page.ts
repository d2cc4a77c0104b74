import { isUtf8 } from 'node:buffer';
import { ownersText } from '@form-relay/base/owners_text';
import { ok, type Result } from '@form-relay/base/result';
import { type CommandContext, CommandFailed } from '@form-relay/core/command';
import { textSchema } from '@form-relay/schema/scalars';

/** An HTML file. */
export const pageName = textSchema((text, at) =>
  /^[a-z][a-z\d+.-]+:\/\//i.test(text)
    ? at.error(`Pages are files since 0.2.0, because curl fetches any of them: curl -s ${text} > page.html`)
    : text === ''
      ? at.error('Expected the name of a file.')
      : text,
);

/** The file of a page. Throws a `CommandFailed` if it cannot be read. */
export async function readPageFile(file: string, { read }: Pick<CommandContext, 'read'>): Promise<Decoded> {
  const page = decodePage(await read(file));
  if (!page.ok) throw new CommandFailed(`${file}: ${page.error}`);
  return page.value;
}

interface Decoded {
  readonly text: string;
  readonly encoding: string;
}

/**
 * As browsers do: a byte order mark says the encoding, else the page. A page that says nothing is in what its
 * bytes look like. Unlike browsers, it rejects what is no UTF-8 in a page that should be.
 */
export function decodePage(bytes: Buffer): Result<Decoded, string> {
  const said = [markOf(bytes), charsetIn(bytes.toString('latin1'))].find(isEncoding);
  const encoding = said ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252');
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
