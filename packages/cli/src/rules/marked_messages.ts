import { isUtf8 } from 'node:buffer';
import type { Marked } from '@form-relay/learning/marked';
import { CommandFailed } from '../command_failed.ts';
import { isMailbox, mailsIn } from './mailbox.ts';
import { markedLines } from './marked_lines.ts';
import { markedRows } from './marked_rows.ts';
import type { MessageFile } from './message_file.ts';

/** Messages in lines of JSON, in a table (CSV), or in a folder of a mail program (mbox). How a file begins says which. */
export async function markedMessages(bytes: Buffer, file: MessageFile): Promise<Iterable<Marked>> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    throw new CommandFailed(`${file.name}: the file is compressed; unpack it first`);
  if (isMailbox(bytes)) return mailsIn(bytes, file);
  const text = decoded(bytes);
  if (text.trim() === '') throw new CommandFailed(`${file.name}: the file is empty`);
  if (/^\s*\[\s*\{/.test(text))
    throw new CommandFailed(`${file.name}: this is one JSON array; write each message in a line of its own`);
  return text.trimStart().startsWith('{') ? markedLines(text, file) : markedRows(text, file);
}

/** Tables come from Excel, too: UTF-16 with its mark, or the code page of Windows. */
function decoded(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252').decode(bytes);
}
