/** Links to addresses and telephone numbers of a submission, and to nothing else. Values are a stranger's, so each part is encoded. */
import { isAddress, type NamedField } from '../../src/correspondent.ts';

/** Programs of mail take no longer address; some cut at 2,083 characters. */
const mostCharacters = 1_900;

/** The link of a value: to mail or to call. `undefined`: it is neither. */
export const linkOf = (field: NamedField, value: string): string | undefined =>
  mailto(value) ?? (isTelephone(field, value) ? `tel:${dialled(value)}` : undefined);

function mailto(value: string): string | undefined {
  const address = value.trim();
  if (!isAddress(address) || /[\p{C}\p{Z}]/u.test(address)) return undefined;
  const at = address.lastIndexOf('@');
  return `mailto:${encoded(address.slice(0, at))}@${encoded(address.slice(at + 1))}`;
}

/** A number that begins with `+`, or stands in a field for one. */
function isTelephone({ name, label, type }: NamedField, value: string): boolean {
  const number = value.trim();
  if (!/^\+?[\d\s()./-]+$/.test(number) || number.length > 40) return false;
  const digits = dialled(number).replace('+', '').length;
  if (digits < 5 || digits > 15) return false;
  return (
    number.startsWith('+') ||
    type === 'tel' ||
    /phone|\btel\b|t[eé]l[eé]f|mobil|handy|cell|\bfax\b|rufnummer/iu.test(`${name} ${label}`)
  );
}

/** A zero in brackets is not dialled behind a country's code. */
const dialled = (value: string) =>
  value
    .trim()
    .replace(/^(\+.*?)\(0\)/, '$1')
    .replaceAll(/[^\d+]/g, '');

export interface Reply {
  readonly email: string;
  readonly subject: string;
  /** Stands above what is quoted. */
  readonly intro: string;
  readonly quoted: string;
}

/** A mail to somebody who wrote, with as much of the message as an address has room for. */
export function replyTo({ email, subject, intro, quoted }: Reply): string | undefined {
  const to = mailto(email);
  if (to === undefined) return undefined;
  let href = `${to}?subject=${encoded(`Re: ${[...oneLine(subject)].slice(0, 150).join('')}`)}&body=${encoded(`\r\n\r\n${[...oneLine(intro)].slice(0, 150).join('')}`)}`;
  const add = (line: string) => encoded(`\r\n> ${line}`);
  const end = add('[…]');
  for (const line of linesOf(quoted)) {
    const more = add(line);
    if (href.length + more.length + end.length > mostCharacters) return href + end;
    href += more;
  }
  return href;
}

/** Long lines are cut into pieces, so that a part of them fits. */
const linesOf = (text: string): readonly string[] =>
  text
    .slice(0, mostCharacters)
    .split(/\r\n|\r|\n/)
    .flatMap((line) => wrapped(printable(line)));

function wrapped(line: string): readonly string[] {
  const lines: string[] = [];
  let rest = line;
  for (; rest.length > 76; rest = rest.slice((lines.at(-1) ?? '').length).trimStart()) {
    const space = rest.lastIndexOf(' ', 76);
    lines.push(space > 20 ? rest.slice(0, space) : [...rest].slice(0, 70).join(''));
  }
  return [...lines, rest];
}

const oneLine = (text: string) => printable(text.replaceAll(/\s+/g, ' ')).trim();

/** Without characters that change how others are read, and halves of pairs. */
const printable = (text: string) => text.replaceAll(/[^\P{C}\t]/gu, '');

const encoded = encodeURIComponent;
