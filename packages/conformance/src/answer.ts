/** An HTTP answer as it came. */
export interface Answer {
  readonly status: number;
  /** Names in lower case; what is repeated is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The answers in what a connection brought, one after the other. What is no HTTP ends the list. */
export function answersIn(received: string): readonly Answer[] {
  const answers: Answer[] = [];
  let rest = received;
  while (rest !== '') {
    const headEnd = rest.indexOf('\r\n\r\n');
    const [first = '', ...lines] = rest.slice(0, Math.max(0, headEnd)).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1]);
    if (headEnd < 0 || Number.isNaN(status)) break;
    const headers: Record<string, string> = Object.create(null);
    for (const line of lines) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
    }
    rest = rest.slice(headEnd + 4);
    // 1xx comes before the answer, and has no body.
    if (status < 200) continue;
    const { text, length } = bodyIn(rest, headers);
    answers.push({ status, headers, text: Buffer.from(text, 'latin1').toString('utf8') });
    rest = rest.slice(length);
  }
  return answers;
}

/** A body's text, and how many characters of what came it takes. */
function bodyIn(rest: string, headers: Readonly<Record<string, string>>): { text: string; length: number } {
  if (headers['transfer-encoding'] === 'chunked') return chunksIn(rest);
  const length = Number(headers['content-length'] ?? rest.length);
  return { text: rest.slice(0, length), length };
}

function chunksIn(rest: string): { text: string; length: number } {
  let text = '';
  let at = 0;
  for (;;) {
    const lineEnd = rest.indexOf('\r\n', at);
    const size = Number.parseInt(rest.slice(at, lineEnd), 16);
    if (lineEnd < 0 || !(size > 0)) return { text, length: lineEnd < 0 ? rest.length : lineEnd + 4 };
    text += rest.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
  }
}

/** The JSON in an answer; `undefined` when it is none. */
export function jsonOf({ text }: Answer): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text under a key of an answer's JSON. */
export function wordsOf(answer: Answer, key: 'message' | 'error'): string | undefined {
  const words = (jsonOf(answer) as Record<string, unknown> | null | undefined)?.[key];
  return typeof words === 'string' && words !== '' ? words : undefined;
}
