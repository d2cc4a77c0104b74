import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Field } from '../../packages/core/src/fields/field.ts';
import type { Form } from '../../packages/core/src/form.ts';
import { packed, sealSubmission, unpacked } from '../../packages/visitor-mails/src/sealed_submission.ts';
import { parseConfig } from '../core/parse_config.ts';
import { runs } from '../support/fuzz.ts';
import { there } from './newsletter.ts';

interface DrawnField {
  readonly type: string;
  readonly name: string;
  readonly max_length?: number;
  readonly options?: readonly string[];
  readonly rows?: readonly string[];
  readonly fields?: readonly DrawnField[];
}

const name = fc.stringMatching(/^[a-z]{1,12}$/);
const typed: fc.Arbitrary<DrawnField> = fc.record({
  type: fc.constantFrom('text', 'textarea', 'tel', 'url', 'hidden'),
  name,
  max_length: fc.integer({ min: 1, max: 300 }),
});
const chosen: fc.Arbitrary<DrawnField> = fc.record({
  type: fc.constantFrom('select', 'radios', 'checkboxes'),
  name,
  options: fc.uniqueArray(fc.stringMatching(/^[a-zé日]{1,30}$/), { minLength: 1, maxLength: 6 }),
});
const consent: fc.Arbitrary<DrawnField> = fc.record({
  type: fc.constant('consent'),
  name,
  label: fc.constant('I agree'),
  version: fc.stringMatching(/^[a-z0-9]{1,12}$/),
});
const address: fc.Arbitrary<DrawnField> = fc.record({
  type: fc.constant('address'),
  name,
  countries: fc.constantFrom(['DE'], ['JP', 'DE'], undefined),
  max_length: fc.integer({ min: 1, max: 50 }),
});
const matrix: fc.Arbitrary<DrawnField> = fc.record({
  type: fc.constant('matrix'),
  name,
  rows: fc.uniqueArray(fc.stringMatching(/^[a-z"]{1,12}$/), { minLength: 1, maxLength: 5 }),
  options: fc.uniqueArray(fc.stringMatching(/^[a-zé日]{1,12}$/), { minLength: 1, maxLength: 5 }),
  several: fc.boolean(),
});
const plain: fc.Arbitrary<DrawnField> = fc.record({
  type: fc.constantFrom('number', 'date', 'email', 'checkbox'),
  name,
});
const unique = { maxLength: 8, selector: ({ name }: DrawnField) => name };
const repeat: fc.Arbitrary<DrawnField> = fc.record({
  type: fc.constant('repeat'),
  name,
  most: fc.integer({ min: 1, max: 12 }),
  fields: fc.uniqueArray(
    fc.oneof(
      typed.map((one) => ({
        ...one,
        type: one.type.replace('hidden', 'text'),
        max_length: (there(one.max_length) % 20) + 1,
      })),
      chosen,
      plain,
    ),
    { ...unique, minLength: 1, maxLength: 4 },
  ),
});
const fields = fc.uniqueArray(fc.oneof(typed, chosen, plain, consent, address, matrix, repeat), unique);

const configOf = (drawn: readonly DrawnField[]) => `
forms:
  news:
    fields:
      - {name: to_be_confirmed, type: email, required: true}
${drawn.map((field) => `      - ${JSON.stringify(field)}\n`).join('')}
    outputs: [{type: smtp, host: smtp.acme.example, to: office@acme.example, mapping: "*"}]
    double_opt_in: {to: to_be_confirmed, subject: s, text: t}
`;

/** The most that a person can fill in, in characters that take three bytes and cannot be compressed. */
function most(form: Form, noise: (length: number) => string): ReadonlyMap<string, readonly string[]> {
  const valuesOf = ({ type, options, takesSeveral, max_length, offered }: Field): readonly string[] => {
    const all = options?.map(({ value }) => value) ?? offered;
    // The fixed country of an address has no options: the relay fills it in.
    if (all) return takesSeveral ? all : [all.toSorted((a, b) => b.length - a.length)[0] ?? ''];
    const lengths: Readonly<Record<string, number>> = { email: 84, number: 8, date: 3 };
    return [noise(max_length ?? lengths[type] ?? 0)];
  };
  return new Map(
    form.fields.map((field) => {
      const { name, inputs } = field;
      if (!inputs) return [name, valuesOf(field)];
      const sent = new Map(inputs.all.map((part) => [part.name, valuesOf(part)]));
      return [name, [JSON.stringify(inputs.gather(sent))]];
    }),
  );
}

describe('what a link has room for', () => {
  test('of a config that loads, a link holds the most that people can fill in', () => {
    let loaded = 0;
    fc.assert(
      fc.property(fields, fc.infiniteStream(fc.integer({ min: 0x4e00, max: 0x9fff })), (drawn, codes) => {
        const config = parseConfig(configOf(drawn), 'webform.yaml');
        if (!config.ok) {
          for (const { message } of config.error)
            expect(message).toMatch(
              /has room for \d+ bytes; the fields together|declared already|name of a part/,
            );
          return;
        }
        loaded += 1;
        const noise = (length: number) =>
          Array.from({ length }, () => String.fromCharCode(codes.next().value as number)).join('');
        const form = there(config.value.forms.get('news'));
        const filled = most(form, noise);
        const values = packed(form.fields, filled);
        expect(unpacked(form.fields, values)).toEqual(filled);
        const requestId = 'c2e57406-606e-42a2-a901-3149dbdce9d5';
        const held = { requestId, receivedAt: 1_900_000_000_000, values, page: undefined };
        const sealed = sealSubmission('secret', 'news', held, 'x');
        const origin = `https://${'forms.'.repeat(13)}acme.example`;
        const link = `${origin}/api/v1/confirm/news?lang=zh-Hant-TW&t=${sealed}`;
        expect(link.length).toBeLessThanOrEqual(2_000);
      }),
      runs(75),
    );
    expect(loaded).toBeGreaterThan(20);
  });
});
