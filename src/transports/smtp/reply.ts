/** What a server says to a command (RFC 5321, 4.2). */
export interface Reply {
  /** Three digits. */
  readonly code: string;
  /** What follows the code, line by line. */
  readonly lines: readonly string[];
}

/** Reads replies from what a server says, as it arrives. */
export class ReplyReader {
  #input = '';
  /** Where in `#input` the next line begins. */
  #at = 0;
  /** The lines so far of a reply that is not complete. */
  #lines: string[] = [];
  #code = '';
  #length = 0;

  /** All that arrived was given out. */
  get isEmpty(): boolean {
    return this.#at === this.#input.length && this.#lines.length === 0;
  }

  add(chunk: Buffer): void {
    const text = chunk.toString('latin1');
    this.#input = this.#at === this.#input.length ? text : this.#input.slice(this.#at) + text;
    this.#at = 0;
  }

  /** The next complete reply, if there is one. `malformed`: this is not SMTP, and nothing after it counts. */
  next(): Reply | 'malformed' | undefined {
    const input = this.#input;
    for (let end = input.indexOf('\n', this.#at); end >= 0; end = input.indexOf('\n', this.#at)) {
      const start = this.#at;
      this.#at = end + 1;
      this.#length += end - start;
      const code = input.slice(start, start + 3);
      // What ends a line may be more than its CR: whatever is white space.
      const rest = input.slice(start + 3, end).trimEnd();
      const isContinued = rest.startsWith('-');
      const isLine = codeOfReply.test(code) && (rest === '' || isContinued || rest.startsWith(' '));
      // RFC 5321, 4.2.1. Otherwise it would depend on the line that one looks at whether the server accepted.
      const agrees = this.#lines.length === 0 || code === this.#code;
      if (!isLine || rest.includes('\r') || !agrees || this.#length > longestReply) return 'malformed';
      this.#code = code;
      this.#lines.push(rest.slice(1));
      if (isContinued) continue;
      const lines = this.#lines;
      this.#lines = [];
      this.#length = 0;
      return { code, lines };
    }
    return this.#length + input.length - this.#at > longestReply ? 'malformed' : undefined;
  }
}

const codeOfReply = /^[2-5]\d\d$/;

/** In characters. RFC 5321, 4.5.3.1.5 allows a line 512, and EHLO may be answered with some dozens of lines. */
const longestReply = 65_536;

export const isDone = ({ code }: Reply): boolean => code.startsWith('2');
