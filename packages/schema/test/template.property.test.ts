import fc from 'fast-check';
import { holds, property } from '../../../test/support/fuzz.ts';
import { must } from '../../../test/support/must.ts';
import { parseTemplate } from '../src/template/parse.ts';
import type { TemplateContext } from '../src/template.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ' ', '\r\n', '\0', '\ud800', '__proto__', '{{ env "SECRET" }}', '{{', '}}', ','),
);

const scope: fc.Arbitrary<TemplateContext> = fc
  .record({
    fields: fc.array(
      fc.tuple(fc.oneof(text, fc.constantFrom('a', 'a-b', '__proto__', 'größe')), fc.array(text)),
    ),
    formId: text,
    submittedAt: text,
    variable: fc.option(text, { nil: undefined }),
  })
  .map(({ fields, variable, ...rest }) => ({ ...rest, fields: new Map(fields), env: () => variable }));

/** Pieces of the language in any order: mostly invalid, often nearly valid. */
const nearly = fc
  .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...tokens()) }, { weight: 1, arbitrary: text }), {
    maxLength: 24,
  })
  .map((pieces) => pieces.join(''));

function tokens(): string[] {
  const actions = ['{{ trim .fields.a }}', '{{/* x */}}', '{{ values "a" | join "," -}}', '{{- env "X" }}'];
  const marks = '{{ }} {{- -}} /* */ ( ) | . , - " ` \\ \\x41 \\u00e9 $'.split(' ');
  const values = '.fields.a .fields.a-b .env "x" `x` 1 -3 true text'.split(' ');
  const words = 'trim default env values join if'.split(' ');
  return [...actions, ...marks, ...values, ...words, ' ', ' ', '\n'];
}

property('any text is a template or a problem within it', 300, [fc.oneof(text, nearly)], (source) => {
  const found = parseTemplate(source);
  if (found.ok) return found.value.source === source;
  return found.error.every(
    ({ within: { offset, length } = { offset: -1, length: 0 } }) =>
      offset >= 0 && length > 0 && offset + length <= source.length,
  );
});

property('a template that loads renders any submission', 200, [nearly, scope], (source, submission) => {
  const found = parseTemplate(source);
  return !found.ok || typeof found.value.render(submission) === 'string';
});

test('`code` indents each line of the value by four spaces, after an empty line', async () => {
  const hostile = fc.constantFrom(
    '\n',
    '\r',
    '\r\n',
    '    ',
    '> ',
    ...'``` ~~~ /close @all <b> a'.split(' '),
  );
  const found = must(parseTemplate('{{ code .fields.a }}'));
  await holds(
    100,
    [
      fc.oneof(
        text,
        fc.array(hostile).map((parts) => parts.join('')),
      ),
    ],
    (submitted) => {
      const fields = new Map([['a', [submitted]]]);
      const block = found.render({ fields, formId: '', submittedAt: '', env: () => undefined });
      const lines = block.split(/[\r\n]/);
      const inside = lines.slice(2, -1);
      expect([...lines.slice(0, 2), ...lines.slice(-1)].join('')).toBe('');
      expect(inside.filter((line) => !line.startsWith('    '))).toEqual([]);
      expect(inside.map((line) => line.slice(4)).join('\n')).toBe(
        inside.length === 0 ? '' : submitted.replaceAll(/\r\n?/g, '\n'),
      );
    },
  );
});
