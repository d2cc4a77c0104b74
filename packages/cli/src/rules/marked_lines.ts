import type { Marked } from '@form-relay/learning/marked';

/** The labels that files have, from this and from other tools. */
const labels: Readonly<Record<string, boolean>> = { spam: true, ham: false, human: false, not_spam: false };

/**
 * Messages in lines of JSON, each with its `text` and a `label`: `spam`, or `ham`; `at` (RFC 3339) and `id` if they are known.
 * `tell` gets the number of each line that is none, from 1.
 */
export function markedLines(text: string, name: string, tell: (line: number) => void): readonly Marked[] {
  const all: Marked[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const read = readLine(line, `${name}:${index + 1}`);
    if (read) all.push(read);
    else tell(index + 1);
  }
  return all;
}

function readLine(line: string, place: string): Marked | undefined {
  try {
    const { id = place, text, label, at } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const isSpam = typeof label === 'string' ? labels[label] : undefined;
    if (typeof text !== 'string' || isSpam === undefined) return undefined;
    return { id: String(id), texts: [text], isSpam, at: Date.parse(String(at)) || 0 };
  } catch {
    return undefined;
  }
}
