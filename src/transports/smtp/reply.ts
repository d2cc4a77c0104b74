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
  /** The lines so far of a reply that is not complete. */
  #lines: string[] = [];
  #code = '';
  #length = 0;

  /** All that arrived was given out. */
  get isEmpty(): boolean {
    return this.#input === '' && this.#lines.length === 0;
  }

  add(chunk: Buffer): void {
    this.#input += chunk.toString('latin1');
  }

  /** The next complete reply, if there is one. `malformed`: this is not SMTP, and nothing after it counts. */
  next(): Reply | 'malformed' | undefined {
    for (let end = this.#input.indexOf('\n'); end >= 0; end = this.#input.indexOf('\n')) {
      const [, code = '', separator, text = ''] = replyLine.exec(this.#input.slice(0, end)) ?? [];
      this.#input = this.#input.slice(end + 1);
      this.#length += end;
      // RFC 5321, 4.2.1. Otherwise it would depend on the line that one looks at whether the server accepted.
      const agrees = this.#lines.length === 0 || code === this.#code;
      if (code === '' || !agrees || this.#length > longestReply) return 'malformed';
      this.#code = code;
      this.#lines.push(text);
      if (separator === '-') continue;
      const lines = this.#lines;
      this.#lines = [];
      this.#length = 0;
      return { code, lines };
    }
    return this.#length + this.#input.length > longestReply ? 'malformed' : undefined;
  }
}

/** `250-` begins a line of a reply, `250 ` its last. */
const replyLine = /^([2-5]\d\d)(?:([ -])(.*?))?\s*$/;

/** In characters. RFC 5321, 4.5.3.1.5 allows a line 512, and EHLO may be answered with some dozens of lines. */
const longestReply = 65_536;

export const isDone = ({ code }: Reply): boolean => code.startsWith('2');
