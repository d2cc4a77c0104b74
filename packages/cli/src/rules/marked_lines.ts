import type { Marked } from '@form-relay/learning/marked';
import { isSpamBy, type MessageFile, namesOf, timeOf } from './message_file.ts';

/** Messages in lines of JSON, each with its text and a label; when it came (RFC 3339) and its `id` if they are known. */
export function* markedLines(text: string, file: MessageFile): Generator<Marked> {
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const place = `line ${index + 1}`;
    const read = readLine(line, place, file);
    if (typeof read === 'string') file.tell(place, read);
    else yield read;
  }
}

/** The message, or why there is none. */
function readLine(line: string, place: string, { name, areSpam, now }: MessageFile): Marked | string {
  const message = parse(line);
  if (!message) return 'is no JSON';
  const of = (part: keyof typeof namesOf) =>
    namesOf[part].map((one) => message[one]).find((value) => value !== undefined);
  const text = of('text');
  const isSpam = areSpam ?? isSpamBy(of('label'));
  if (typeof text !== 'string') return 'has no text';
  if (isSpam === undefined) return 'has no known label';
  return { id: String(of('id') ?? `${name}, ${place}`), texts: [text], isSpam, at: timeOf(of('at'), now) };
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return Object(JSON.parse(line));
  } catch {
    return undefined;
  }
}
