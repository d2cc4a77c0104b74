import { createHash } from 'node:crypto';
import type { Aside } from '../../../base/kept.ts';

/**
 * What the name of a file says of the entries in it, all of one form, so that they can be counted unread:
 *
 * ```text
 * 1795248000000.1795247940000.12-256.5f0c…9a01.contact
 * due           oldest kept   left   mark      form, percent-encoded
 *                             of all
 * ```
 */
export interface FileName {
  /** When they are due, in milliseconds since the epoch; or why they are not. */
  readonly status: Status;
  /** When the oldest was kept. */
  readonly keptAt: number;
  /** How many still wait, of `total`. */
  readonly left: number;
  readonly total: number;
  /** Its like is nowhere else; begins each record in the file. */
  readonly mark: string;
  /** As `encodeForm` has it. */
  readonly form: string;
}

export type Status = number | Aside | 'sealed';

/** So many entries are written together, at most. */
export const mostEntries = 256;

/** The last millisecond that a date can have. */
const lastTime = 8.64e15;

/** In bytes; its text is hexadecimal. */
export const markBytes = 12;

export const nameOf = ({ status, keptAt, left, total, mark, form }: FileName) =>
  [String(status), String(keptAt), `${left}-${total}`, mark, form].join('.');

const pattern = /^(\d+|sealed|refused|expired|unreadable)\.(\d+)\.(\d+)-(\d+)\.([0-9a-f]{24})\.([\w%~-]*)$/;

/**
 * `undefined`: it is none of the relay's. Anybody who can write to the folder can name a file: a number that the relay never
 * writes is read as the nearest that it does, and a file of too many entries as a file of one, which is damaged then.
 */
export function readName(name: string): FileName | undefined {
  const [, status = '', keptAt, left, total, mark = '', form = ''] = pattern.exec(name) ?? [];
  if (mark === '') return undefined;
  const count = Number(total);
  const isPossible = count >= 1 && count <= mostEntries;
  return {
    status: /^\d/.test(status) ? timeIn(status) : (status as Exclude<Status, number>),
    keptAt: timeIn(keptAt),
    left: isPossible ? Math.min(Number(left), count) : 1,
    total: isPossible ? count : 1,
    mark,
    form,
  };
}

const timeIn = (digits = '') => Math.min(Number(digits), lastTime);

/** As bytes of a file name may be everywhere, and not too many. What was cut ends in `~` and a hash. */
export function encodeForm(form: string): string {
  const encoded = [...Buffer.from(form)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return /[\w-]/.test(letter) ? letter : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
  if (encoded.length <= 150) return encoded;
  return `${encoded.slice(0, 120)}~${createHash('sha256').update(form).digest('hex').slice(0, 16)}`;
}

/** `undefined`: it was cut, and only what is in the file tells. */
export function decodeForm(encoded: string): string | undefined {
  if (encoded.includes('~')) return undefined;
  const bytes = encoded.replaceAll(/%([0-9a-f]{2})/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}

const minuteMs = 60_000;

/**
 * The folder in which a file is to wait, from the store's own. Nothing is put into a minute that is over: others may be
 * about to remove its folder.
 */
export function homeOf(status: Status, now: number): string {
  if (typeof status === 'number') return `due/${minuteOf(Math.max(status, now))}`;
  return status === 'sealed' ? 'sealed' : 'aside';
}

/** Such as `20261121T0816`, in UTC; in the order of time. */
function minuteOf(time: number): string {
  const at = new Date(Math.min(time, latest)).toISOString();
  return at.slice(0, 16).replaceAll(/[-:]/g, '');
}

/** A date that can be written with four digits for the year. */
const latest = Date.UTC(9999, 11, 31);

/** When the minute of a folder in `due` begins; `undefined`: it is none of the relay's. */
export function startOf(minute: string): number | undefined {
  const [, year, month, day, hour, min] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)$/.exec(minute) ?? [];
  if (year === undefined) return undefined;
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(min));
}

/** Whether nothing comes into the folder of this minute any more. */
export const isOver = (start: number, now: number) => start + 2 * minuteMs < now;
