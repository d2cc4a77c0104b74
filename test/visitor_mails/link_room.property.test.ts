import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sealSubmission } from '../../packages/relay/src/features/visitor_mails/sealed_submission.ts';
import type { Form } from '../../packages/relay/src/form.ts';
import { runs } from '../support/fuzz.ts';
import { parseConfig } from '../support/parse_config.ts';
import { there } from './newsletter.ts';

interface DrawnField {
  readonly type: string;
  readonly name: string;
  readonly max_length?: number;
  readonly options?: readonly string[];
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
const plain: fc.Arbitrary<DrawnField> = fc.record({
  type: fc.constantFrom('number', 'date', 'email', 'checkbox'),
  name,
});
const fields = fc.uniqueArray(fc.oneof(typed, chosen, plain), { maxLength: 8, selector: (one) => one.name });

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
function most({ fields }: Form, noise: (length: number) => string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    fields.map(({ name, type, options, takesSeveral, max_length, possibleValues }) => {
      const all = options?.map(({ value }) => value) ?? possibleValues;
      if (all) return [name, takesSeveral ? all : [there(all.toSorted((a, b) => b.length - a.length)[0])]];
      const lengths: Readonly<Record<string, number>> = { email: 84, number: 8, date: 3 };
      return [name, [noise(max_length ?? lengths[type] ?? 0)]];
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
          const found = config.error.map(({ code }) => code);
          expect(found.every((code) => code === 'link_too_long' || code === 'field_twice')).toBe(true);
          return;
        }
        loaded += 1;
        const noise = (length: number) =>
          Array.from({ length }, () => String.fromCharCode(codes.next().value as number)).join('');
        const values = most(there(config.value.forms.get('news')), noise);
        const requestId = 'c2e57406-606e-42a2-a901-3149dbdce9d5';
        const held = { requestId, receivedAt: 1_900_000_000_000, values, page: undefined };
        const sealed = sealSubmission('secret', 'news', held, 'x');
        const origin = `https://${'forms.'.repeat(13)}acme.example`;
        const link = `${origin}/api/v1/confirm/news?lang=zh-Hant-TW&t=${sealed}`;
        expect(link.length).toBeLessThanOrEqual(2_000);
      }),
      runs(300),
    );
    expect(loaded).toBeGreaterThan(20);
  });

  const problemsOf = (fields: string, more = '') => {
    const config = parseConfig(
      `
forms:
  news:
    fields: [{name: email, type: email, required: true}, ${fields}]
    outputs: [{type: smtp, host: smtp.acme.example, to: office@acme.example, mapping: "*"${more}}]
    double_opt_in: {to: email, subject: s, text: t}
`,
      'webform.yaml',
    );
    return config.ok ? [] : config.error.map(({ code, path }) => [code, path.replace('forms.news.', '')]);
  };

  test.each(['text', 'textarea', 'tel', 'url', 'hidden'])('a field of type %s needs a max_length', (type) => {
    expect(problemsOf(`{name: a, type: ${type}}`)).toEqual([['link_field_unbounded', 'fields[1]']]);
    expect(problemsOf(`{name: a, type: ${type}, max_length: 50}`)).toEqual([]);
    expect(problemsOf('{name: a, type: tel, country: DE}')).toEqual([]);
  });

  test('too much together is told at the largest field', () => {
    expect(problemsOf('{name: a, max_length: 100}, {name: b, max_length: 400}')).toEqual([
      ['link_too_long', 'fields[2].max_length'],
    ]);
  });

  test('notes between fields take no room, and do not shift the place', () => {
    expect(problemsOf('{note: Hello}, {name: a}')).toEqual([['link_field_unbounded', 'fields[2]']]);
  });
});
