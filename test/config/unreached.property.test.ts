import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRelay } from '../../packages/relay/src/relay.ts';
import { runs } from '../support/fuzz.ts';

/** What a browser may send for a field: each list is one way to fill it in. */
type Ways = readonly (readonly string[])[];

const options = ['x', 'y', 'z'];
const ways: Readonly<Record<string, Ways>> = {
  a: [[''], ...options.map((one) => [one])],
  b: [[], ['x'], ['y']],
  c: [[], ['x'], ['y'], ['x', 'y'], ['z'], ['x', 'z'], ['y', 'z'], options],
  d: [[''], ['x'], ['q']],
};

/** Every way to fill in the form. */
const submissions = Object.entries(ways).reduce<string[]>(
  (all, [name, own]) =>
    all.flatMap((before) =>
      own.map((values) => before + values.map((value) => `&${name}=${value}`).join('')),
    ),
  [''],
);

const flag = fc.boolean().map(String);
const value = (values: readonly string[]) =>
  fc.subarray([...values], { minLength: 1 }).map((all) => `[${all}]`);
const about = (name: string, values: readonly string[]) =>
  fc.oneof(
    value(values).map((is) => `{field: ${name}, is: ${is}}`),
    value(values).map((not) => `{field: ${name}, is_not: ${not}}`),
    flag.map((filled) => `{field: ${name}, filled: ${filled}}`),
  );
const shownWhen = (name: string, values: readonly string[]) =>
  fc.option(about(name, values)).map((when) => (when === null ? '' : `, visible_when: ${when}`));

const fields = fc
  .tuple(
    fc.tuple(flag, flag, flag, flag),
    fc.tuple(
      shownWhen('a', [...options, '""']),
      shownWhen('b', ['x', 'y', '""']),
      shownWhen('c', [...options, '""']),
    ),
    fc.constantFrom('', ', min_choices: 2', ', max_choices: 2'),
  )
  .map(
    ([
      [a, b, c, d],
      [ofB, ofC, ofD],
      choices,
    ]) => `[{name: a, type: select, options: [x, y, z], required: ${a}},
      {name: b, type: radios, options: [x, y], required: ${b}${ofB}},
      {name: c, type: checkboxes, options: [x, y, z], required: ${c}${choices}${ofC}},
      {name: d, required: ${d}${ofD}}]`,
  );

const output = fc
  .oneof(about('a', options), about('b', ['x', 'y']), about('c', options), about('d', ['x', '""']))
  .map((when) => `{type: http_post, url: "https://a.test/", mapping: "*", when: ${when}}`);

/** Whether a body holds what an example says: `a: x and c: [y, z] and d left empty`. */
function fits(body: string, example: string): boolean {
  const sent = new URLSearchParams(body);
  return example.split(' and ').every((part) => {
    const [, name = '', held = ''] = /^(\w)(?:: \[?([^\]]*)\]?| left empty)$/.exec(part) ?? [];
    return sent.getAll(name).filter(Boolean).join(', ') === (held === 'other' ? 'q' : held);
  });
}

test('validate warns of a form if, and only if, it takes a submission that no output gets', async () => {
  const property = fc.asyncProperty(
    fields,
    fc.array(output, { minLength: 1, maxLength: 5 }),
    async (fields, outputs) => {
      const config = `forms: {f: {fields: ${fields}, outputs: [${outputs}]}}`;
      const relay = createRelay({
        config,
        env: { THROTTLE_RATE_LIMIT: '1000000', THROTTLE_BURST_LIMIT: '1000000' },
        effects: { log: () => {}, http: async () => ({ status: 200, headers: {}, body: '' }) },
      });
      const send = async (body: string) => {
        const { status } = await relay.handle({
          method: 'POST',
          path: '/api/v1/submit/f',
          query: '',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: Buffer.from(body),
        });
        return status;
      };
      const warnings = (await (await relay.config.get())?.warnings()) ?? [];
      const [, example] =
        /a submission with (.*) reaches no output/.exec(warnings.map(({ message }) => message).join()) ?? [];
      if (example !== undefined) {
        const answers = submissions.filter((body) => fits(body, example)).map(send);
        expect(await Promise.all(answers)).toContain(500);
        return;
      }
      for (const body of submissions) expect([body, await send(body)]).not.toEqual([body, 500]);
    },
  );
  await fc.assert(property, runs(60, 0.1));
});
