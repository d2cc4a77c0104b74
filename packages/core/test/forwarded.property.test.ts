/**
 * `Forwarded` as a proxy writes it (RFC 7239), after arbitrary text: read entry by entry from the end, the
 * proxy's entry gives the same result.
 */
import fc from 'fast-check';
import { holds } from '../../../test/support/fuzz.ts';
import { lastElement } from '../../base/src/client.ts';

type Pairs = readonly (readonly [name: string, value: string])[];

const tchar = /^[!#$%&'*+\-.^_`|~0-9a-z]$/i;
const escapable = /^[\t -~\x80-\xff]$/;

/** The result of `lastElement` for a valid element. */
const said = (pairs: Pairs) => {
  const named = pairs.filter(([name]) => name === 'for');
  return named.length > 1
    ? { node: undefined, isMalformed: true }
    : { node: named[0]?.[1], isMalformed: false };
};

const piece = fc.constantFrom(
  ...[',', ', ', ';', '=', '"', '\\', '\\"', '\\\\', ' ', '\t', 'for=', 'For="', 'host="', 'a', '_b'],
  ...['1.2.3.4'],
  ...['[', ']', ':', 'for=1.2.3.4', ', for=5.6.7.8', ';a="b"', ';host="x\\", for=1.2.3.4;a=\\""', 'é'],
);
const anything = fc.oneof(
  fc.array(piece, { maxLength: 14 }).map((all) => all.join('')),
  fc.string({ maxLength: 40 }),
);

const name = fc.constantFrom('for', 'For', 'FOR', 'by', 'host', 'proto', 'x-for', '!#$');
const value = fc.oneof(anything, fc.constantFrom('1.2.3.4', '[2001:db8::1]:4711', 'unknown', '_gazonk', ''));
const visible = (text: string) => [...text].filter((char) => escapable.test(char)).join('');
/** As a proxy writes it: quoted, with unnecessary backslashes, or as a token if it is one. */
const written = fc
  .tuple(name, value.map(visible), fc.boolean(), fc.func(fc.boolean()))
  .map(([name, value, isShort, isEscaped]) => {
    const isToken = value !== '' && [...value].every((char) => tchar.test(char));
    const chars = [...value].map((char, index) =>
      char === '"' || char === '\\' || isEscaped(index) ? `\\${char}` : char,
    );
    return { name, value, text: `${name}=${isShort && isToken ? value : `"${chars.join('')}"`}` };
  });
const element = fc.array(written, { minLength: 1, maxLength: 4 });

test('a proxy’s entry gives the same result after any text', () =>
  holds(2_000, [anything, element], (made, pairs) => {
    const { before, ...read } = lastElement(`${made},${pairs.map(({ text }) => text).join(';')}`);
    expect(before).toBe(made);
    expect(read).toEqual(said(pairs.map(({ name, value }) => [name.toLowerCase(), value] as const)));
  }));
