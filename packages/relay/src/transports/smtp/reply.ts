/** What a server says to a command (RFC 5321, 4.2). */
export class Reply {
  /** Three digits. */
  readonly code: string;
  readonly #text: string;

  constructor(text: string) {
    this.code = text.slice(0, 3);
    this.#text = text;
  }

  /** The text after the code, line by line. Only a refusal and an offer are read so far. */
  get lines(): readonly string[] {
    return this.#text.split('\n').map((line) => line.trimEnd().slice(4));
  }
}

/** Reads replies from what a server says, as it arrives. */
export class ReplyReader {
  /** From the beginning of a reply that is not complete. */
  #input = '';
  /** Where in `#input` the next reply begins, and its next line. */
  #start = 0;
  #at = 0;

  /** All that arrived was given out. */
  get isEmpty(): boolean {
    return this.#start === this.#input.length;
  }

  add(text: string): void {
    this.#input = this.isEmpty ? text : this.#input.slice(this.#start) + text;
    this.#at -= this.#start;
    this.#start = 0;
  }

  /** The next complete reply, if there is one. `malformed`: this is not SMTP, and nothing after it counts. */
  next(): Reply | 'malformed' | undefined {
    const input = this.#input;
    const start = this.#start;
    for (let end = input.indexOf('\n', this.#at); end >= 0; end = input.indexOf('\n', this.#at)) {
      const line = this.#at;
      this.#at = end + 1;
      if (!isLine(input, line, end) || end - start > longestReply) return 'malformed';
      // RFC 5321, 4.2.1. Otherwise it would depend on the line that one looks at whether the server accepted.
      if (line > start && !input.startsWith(input.slice(start, start + 3), line)) return 'malformed';
      if (input.charCodeAt(line + 3) === hyphen) continue;
      this.#start = this.#at;
      return new Reply(input.slice(start, end));
    }
    return input.length - start > longestReply ? 'malformed' : undefined;
  }
}

/** A code, then nothing, or a hyphen or space and words. */
function isLine(input: string, start: number, end: number): boolean {
  const first = input.charCodeAt(start);
  const separator = input.charCodeAt(start + 3);
  if (first < digit0 + 2 || first > digit0 + 5) return false;
  if (!isDigit(input.charCodeAt(start + 1)) || !isDigit(input.charCodeAt(start + 2))) return false;
  const isUsual = (separator === space || separator === hyphen) && input.indexOf('\r', start) >= end - 1;
  if (isUsual) return true;
  // A line may end with more than its CR: whatever is white space.
  return /^(?:[ -][^\r]*)?$/.test(input.slice(start + 3, end).trimEnd());
}

const isDigit = (code: number) => code >= digit0 && code <= digit0 + 9;

const [space, hyphen, digit0] = [0x20, 0x2d, 0x30];

/** In characters. RFC 5321, 4.5.3.1.5 allows a line 512, and EHLO may be answered with some dozens of lines. */
const longestReply = 65_536;

export const isDone = ({ code }: Reply): boolean => code.startsWith('2');
