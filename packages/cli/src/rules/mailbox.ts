import type { Marked } from '@form-relay/learning/marked';
import type { DefaultTreeAdapterTypes } from 'parse5';
import { CommandFailed } from '../command_failed.ts';
import { type MessageFile, timeOf } from './message_file.ts';

/** What a mail says stands at its beginning; files and pictures follow. A parser may take a third of a second for so much. */
const mostOfMail = 65_536;

export const isMailbox = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 5) === 'From ';

/** Mails in a file of a mail program (mbox; RFC 4155). They have no marks of their own. */
export async function mailsIn(bytes: Buffer, file: MessageFile): Promise<readonly Marked[]> {
  const { name, areSpam: isSpam, now, tell } = file;
  if (isSpam === undefined)
    throw new CommandFailed(`${name}: mails have no label; name the file with --spam or --ham`);
  const { default: PostalMime } = await import('postal-mime');
  const { parse } = await import('parse5');
  const all: Marked[] = [];
  let nth = 0;
  for (const mail of split(bytes)) {
    nth += 1;
    const place = `mail ${nth}`;
    const { text, html = '', date, messageId } = await PostalMime.parse(mail).catch(() => unread);
    const written = text?.trim() || textOf(parse(html)).trim();
    if (written === '') tell(place, 'has no text');
    else all.push({ id: messageId ?? `${name}, ${place}`, texts: [written], isSpam, at: timeOf(date, now) });
  }
  return all;
}

const unread: { text?: string; html?: string; date?: string; messageId?: string } = {};

/** The beginning of each mail, without the line before it. */
function* split(bytes: Buffer): Generator<Buffer> {
  let from = 0;
  while (from < bytes.length) {
    const next = bytes.indexOf('\nFrom ', from);
    const end = next < 0 ? bytes.length : next + 1;
    const begin = bytes.indexOf('\n', from) + 1;
    if (begin > from && begin <= end) yield bytes.subarray(begin, Math.min(end, begin + mostOfMail));
    from = end;
  }
}

/** The text of a page, without what nobody sees. */
function textOf(node: DefaultTreeAdapterTypes.Node): string {
  const parts: string[] = [];
  // A hostile page is deeper than the stack.
  const todo = [node];
  for (let next = todo.pop(); next; next = todo.pop()) {
    if ('value' in next) parts.push(next.value);
    else if ('childNodes' in next && !hidden.has(next.nodeName)) todo.push(...next.childNodes.toReversed());
  }
  return parts.join(' ');
}

const hidden: ReadonlySet<string> = new Set(['script', 'style', 'title', 'template']);
