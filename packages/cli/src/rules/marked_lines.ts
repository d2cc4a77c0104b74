import type { Marked } from '@form-relay/learning/marked';
import { isSpamBy, type MessageFile, timeOf } from './message_file.ts';

/** Messages in lines of JSON, each with its `text` and a `label`; `at` (RFC 3339) and `id` if they are known. */
export function markedLines(text: string, file: MessageFile): readonly Marked[] {
  const all: Marked[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const place = `line ${index + 1}`;
    const read = readLine(line, place, file);
    if (read) all.push(read);
    else file.tell(place, 'has no text and label');
  }
  return all;
}

function readLine(line: string, place: string, { name, areSpam, now }: MessageFile): Marked | undefined {
  try {
    const { id, text, label, at } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const isSpam = areSpam ?? isSpamBy(label);
    if (typeof text !== 'string' || isSpam === undefined) return undefined;
    return { id: String(id ?? `${name}, ${place}`), texts: [text], isSpam, at: timeOf(at, now) };
  } catch {
    return undefined;
  }
}
