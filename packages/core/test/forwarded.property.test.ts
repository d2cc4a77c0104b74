/** `Forwarded` against a second reader, which goes through the grammar of RFC 7239 from the front, a character at a time. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/fuzz.ts';
import { lastElement } from '../../base/src/client.ts';

type Pairs = readonly (readonly [name: string, value: string])[];

const tchar = /^[!#$%&'*+\-.^_`|~0-9a-z]$/i;
const qdtext = /^[\t !#-[\]-~\x80-\xff]$/;
const escapable = /^[\t -~\x80-\xff]$/;

/** The elements of a header that keeps to the RFC; `undefined` for any other. */
function byTheGrammar(header: string): Pairs[] | undefined {
  let at = 0;
  const token = () => {
    let read = '';
    while (tchar.test(header[at] ?? '')) read += header[at++];
    return read || undefined;
  };
  const quoted = () => {
    let read = '';
    for (at += 1; header[at] !== '"'; at += 1) {
      const isPair = header[at] === '\\';
      if (isPair) at += 1;
      if (!(isPair ? escapable : qdtext).test(header[at] ?? '')) return undefined;
      read += header[at];
    }
    at += 1;
    return read;
  };
  const element = () => {
    const pairs: [string, string][] = [];
    for (;;) {
      const name = token();
      if (name !== undefined) {
        if (header[at++] !== '=') return undefined;
        const value = header[at] === '"' ? quoted() : token();
        if (value === undefined) return undefined;
        pairs.push([name.toLowerCase(), value]);
      }
      if (header[at] !== ';') return pairs;
      at += 1;
    }
  };
  const spaces = () => {
    while (header[at] === ' ' || header[at] === '\t') at += 1;
  };
  const elements: Pairs[] = [];
  for (;;) {
    spaces();
    const pairs = element();
    if (!pairs) return undefined;
    elements.push(pairs);
    spaces();
    if (at === header.length) return elements;
    if (header[at++] !== ',') return undefined;
  }
}

/** The result of `lastElement` for a sound element. */
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
/** As a proxy writes it: quoted, with more backslashes than are needed, or as a token where it is one. */
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

test('a header that keeps to the grammar is read as the grammar says', () => {
  let accepted = 0;
  const agree = (header: string) => {
    const elements = byTheGrammar(header);
    if (!elements) return;
    accepted += 1;
    let rest = header;
    for (const pairs of elements.toReversed()) {
      const { before, ...read } = lastElement(rest);
      expect(read).toEqual(said(pairs));
      rest = before;
    }
    expect(rest).toBe('');
  };
  fc.assert(fc.property(anything, agree), runs(4_000));
  const header = fc
    .array(element, { minLength: 1, maxLength: 4 })
    .map((all) => all.map((pairs) => pairs.map(({ text }) => text).join(';')).join(' , '));
  fc.assert(fc.property(header, agree), runs(500));
  // Enough pairs were compared.
  expect(accepted).toBeGreaterThan(800);
});

test('an entry that a proxy has written says the same after anything', () => {
  fc.assert(
    fc.property(anything, element, (made, pairs) => {
      const { before, ...read } = lastElement(`${made},${pairs.map(({ text }) => text).join(';')}`);
      expect(before).toBe(made);
      expect(read).toEqual(said(pairs.map(({ name, value }) => [name.toLowerCase(), value] as const)));
    }),
    runs(250),
  );
});
