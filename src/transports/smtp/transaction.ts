import type { ClientError } from '../../client_error.ts';
import type { Mail } from './compose.ts';
import { refusal } from './failure.ts';

/** What a server's answer to EHLO offers, as far as mails need it. */
export interface Extensions {
  /** RFC 2920: the envelope may be sent without waiting for each answer. */
  readonly pipelining: boolean;
  /** RFC 1870: the server wants to know the size; the most that it takes, or 0 where it does not say. */
  readonly size: number | undefined;
}

/** One mail's part of a dialogue (RFC 5321, 3.3): what to write at first, and after each reply. */
export class Transaction {
  /** The server asked for the text and gets it: from now on it may have the mail. */
  isTextSent = false;
  /** To be written at first. */
  readonly opening: string;
  /** MAIL, RCPT for each recipient, DATA. */
  readonly #commands: readonly string[];
  readonly #text: string;
  readonly #pipelining: boolean;
  #replies = 0;

  constructor({ envelope: { from, to }, source }: Mail, { pipelining, size }: Extensions) {
    this.#pipelining = pipelining;
    this.#commands = [
      `MAIL FROM:<${from}>${size === undefined ? '' : ` SIZE=${source.length}`}\r\n`,
      ...to.map((address) => `RCPT TO:<${address}>\r\n`),
      'DATA\r\n',
    ];
    this.opening = pipelining ? this.#commands.join('') : (this.#commands[0] ?? '');
    // A line that is a dot would end the mail (RFC 5321, 4.5.2).
    this.#text = `${source.replace(/^\./gm, '..')}.\r\n`;
  }

  /** The server accepted MAIL. */
  get isBegun(): boolean {
    return this.#replies > 0;
  }

  /**
   * What to write now, which may be nothing; or how it ended.
   *
   * One refused recipient ends it for all, before the text is sent. If the connection then closes, the server discards
   * the mail (RFC 5321, 4.1.1.10), and a retry sends nobody a second copy.
   */
  next(reply: string): string | 'accepted' | ClientError {
    const answered = this.#commands[this.#replies];
    const isData = this.#replies === this.#commands.length - 1;
    if (!(isData ? goAhead : done).test(reply)) return refusal(answered?.slice(0, 4) ?? 'DATA', reply);
    if (answered === undefined) return 'accepted';
    this.#replies += 1;
    if (!isData) return this.#pipelining ? '' : (this.#commands[this.#replies] ?? '');
    this.isTextSent = true;
    return this.#text;
  }
}

const done = /^2\d\d(?: |$)/;

/** 354 (RFC 5321, 4.3.2). Not 250 too: it might be the answer to another command, and the mail would pass for taken. */
const goAhead = /^3\d\d(?: |$)/;
