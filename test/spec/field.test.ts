import { describe, expect, test } from 'vitest';
import { contact, problemsOf } from './stage.ts';

const fieldProblems = (fields: string) =>
  problemsOf(`forms: {contact: {fields: ${fields}, outputs: [{type: http_post, url: "http://127.0.0.1/"}]}}`);

describe('Field', () => {
  test('a name is required', async () => {
    expect(await fieldProblems('[{type: text}]')).toContain('forms.contact.fields[0].name: name is missing');
  });

  test('a name is the key in the submitted body, and no name is special', async () => {
    for (const name of ['first name', '__proto__', 'constructor', 'on', '1', 'a.b', 'ä[]', 'a&b=c']) {
      const form = await contact({ fields: `[{name: ${JSON.stringify(name)}}]` });
      expect((await form.send([name, 'v'])).status).toBe(200);
      expect(form.delivered).toEqual([[[name, 'v']]]);
    }
  });

  test('a name is declared once', async () => {
    expect(await fieldProblems('[{name: a}, {name: a}]')).toContain(
      'fields[1].name: "a" is declared already',
    );
  });

  test('a field is not required unless it says so', async () => {
    const form = await contact({ fields: '[{name: a}]' });
    expect((await form.send()).status).toBe(200);
  });

  describe.each([
    'text',
    'email',
    'textarea',
    'hidden',
    'url',
    'tel',
    'number',
    'date',
    'time',
    'datetime',
    'month',
    'select, options: [a]',
    'select, options: [a], multiple: true',
    'radios, options: [a]',
    'checkboxes, options: [a]',
    'checkbox',
  ])('{type: %s}', (type) => {
    test('when required, refuses nothing, an empty value and several empty values', async () => {
      const form = await contact({ fields: `[{name: f, required: true, type: ${type}}]` });
      for (const values of [[], [''], ['', '']]) {
        const answer = await form.send(...values.map((value) => ['f', value] as const));
        expect(answer.status).toBe(422);
        expect(answer.json).toEqual({ error: expect.stringMatching(/^f: /) });
      }
      expect(form.delivered).toEqual([]);
    });

    test('when not required, may be absent or empty', async () => {
      const form = await contact({ fields: `[{name: f, type: ${type}}]` });
      expect((await form.send()).status).toBe(200);
      expect((await form.send(['f', ''])).status).toBe(200);
    });
  });

  test.each(['text', 'hidden'])('whitespace counts as a value of a required %s field (D18)', async (type) => {
    const form = await contact({ fields: `[{name: f, required: true, type: ${type}}]` });
    expect((await form.send(['f', ' '])).status).toBe(200);
    expect(form.delivered).toEqual([[['f', ' ']]]);
  });

  test('every missing field is told at once', async () => {
    const form = await contact({ fields: '[{name: a, required: true}, {name: b, required: true}]' });
    expect((await form.send()).json).toEqual({ error: expect.stringMatching(/a: .*b: /) });
  });

  test('the type is text unless it says otherwise', async () => {
    const form = await contact({ fields: '[{name: a}]' });
    expect((await form.get('/api/v1/form/contact')).text).toMatch(/<input [^>]*type="text"/);
  });

  test('an unknown type keeps the config from loading', async () => {
    expect(await fieldProblems('[{name: a, type: emial}]')).toMatch(
      /fields\[0\]\.type: .*did you mean email\?/,
    );
  });

  test.each([
    ['text', /<input [^>]*type="text"/],
    ['email', /<input [^>]*type="email"/],
    ['textarea', /<textarea /],
    ['hidden', /<input [^>]*type="hidden"[^>]*name="f"/],
  ])('a %s field is rendered as its element', async (type, element) => {
    const form = await contact({ fields: `[{name: f, type: ${type}}]` });
    expect((await form.get('/api/v1/form/contact')).text).toMatch(element);
  });
});

/** A field's YAML keys, the submissions that it takes as they are, and those that it refuses with 422. */
interface Rule {
  readonly promise: string;
  readonly keys: string;
  readonly takes: readonly (string | readonly string[])[];
  readonly refuses?: readonly (string | readonly string[])[];
}

const rules: readonly Rule[] = [
  {
    promise: 'text is only required and length',
    keys: 'type: text',
    takes: ['a', '@', 'two\r\nlines', '<script>', '{{ env "HOME" }}', '\0', ' padded '],
  },
  {
    promise: 'email contains exactly one @ with characters on each side',
    keys: 'type: email',
    takes: ['a@b', 'a b@c', 'ä@ö.example', ' a@b '],
    refuses: ['a', '@', 'a@', '@b', 'a@b@c', 'a@@b', ['a@b', 'c']],
  },
  { promise: 'textarea is only required and length', keys: 'type: textarea', takes: ['a', '\r\n', '@'] },
  {
    promise: 'hidden takes any value from the body, whatever its value key says',
    keys: 'type: hidden, value: set',
    takes: ['set', 'other', ' '],
  },
  { promise: 'tel is free text', keys: 'type: tel', takes: ['+49 (0) 30 / 1234', 'after six', '0'] },
  {
    promise: 'url is absolute http or https',
    keys: 'type: url',
    takes: [
      'http://a',
      'https://a.example/b?c=d#e',
      'HTTPS://a.example',
      'https://ä.example/ö',
      'http://[::1]:8080/',
    ],
    refuses: [
      'a.example',
      '/a',
      '//a.example',
      'https:',
      'https://',
      'https:a.example',
      'ftp://a.example',
      'mailto:a@b',
      'javascript:alert(1)',
      'https://a b.example',
      ' https://a.example',
      'https://a.example\n',
      'https://a.example:99999',
      ['https://a.example', 'b'],
    ],
  },
  {
    promise: "number is HTML's valid floating-point number",
    keys: 'type: number, step: any',
    takes: [
      '0',
      '-0',
      '42',
      '-42',
      '007',
      '1.5',
      '.5',
      '-.5',
      '1e3',
      '1E3',
      '1e+3',
      '1e-3',
      '-1.5e2',
      '1e308',
    ],
    refuses: [
      '+1',
      '1.',
      '.',
      '-',
      '--1',
      '- 1',
      '1e',
      '1e1.5',
      '0x10',
      '1,5',
      '1 000',
      ' 1',
      '1 ',
      '1\n',
      '1_0',
      'Infinity',
      'NaN',
      '1e999',
      '١',
      'one',
      ['1', 'x'],
    ],
  },
  {
    promise: 'number is whole unless step says otherwise',
    keys: 'type: number',
    takes: ['1', '-1', '1.0', '1e2', '100000000000000000000'],
    refuses: ['1.5', '1e-1'],
  },
  {
    promise: 'number lies from min to max',
    keys: 'type: number, min: -1, max: 2.5, step: any',
    takes: ['-1', '0', '2.5'],
    refuses: ['-1.001', '2.501', '-2', '1e3'],
  },
  {
    promise: 'number may have min and max alike',
    keys: 'type: number, min: 2, max: 2',
    takes: ['2'],
    refuses: ['1', '3'],
  },
  {
    promise: 'number counts decimal steps exactly',
    keys: 'type: number, step: 0.1',
    takes: ['0.1', '0.3', '0.7', '1.1', '-0.3', '4.35e1', '100000.1', '0.30'],
    refuses: ['0.25', '0.31', '0.1000001'],
  },
  {
    promise: 'number takes steps however small',
    keys: 'type: number, step: 1e-7',
    takes: ['0.0000003', '3e-7', '1'],
    refuses: ['0.00000035'],
  },
  {
    promise: 'number counts steps from min',
    keys: 'type: number, min: 0.5, step: 2',
    takes: ['0.5', '2.5', '4.50'],
    refuses: ['1', '2', '1.5'],
  },
  {
    promise: 'number counts steps from its value where there is no min',
    keys: 'type: number, value: 1, step: 3',
    takes: ['1', '4', '-2'],
    refuses: ['3', '0'],
  },
  {
    promise: 'date is a real YYYY-MM-DD',
    keys: 'type: date',
    takes: ['2030-12-31', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'],
    refuses: [
      '2023-02-29',
      '1900-02-29',
      '2024-04-31',
      '2024-13-01',
      '2024-00-10',
      '2024-01-00',
      '0000-01-01',
      '2024-1-1',
      '24-01-01',
      '12024-01-01',
      '2024/01/01',
      '01.02.2024',
      '2024-01-01T00:00',
      ' 2024-01-01',
      '2024-01-01\n',
      'tomorrow',
    ],
  },
  {
    promise: 'date lies from min to max',
    keys: 'type: date, min: 2024-02-29, max: 2024-03-01',
    takes: ['2024-02-29', '2024-03-01'],
    refuses: ['2024-02-28', '2024-03-02'],
  },
  ...['select', 'radios'].map(
    (type): Rule => ({
      promise: `${type} takes one of its options, once`,
      keys: `type: ${type}, options: [red, {value: gr, label: Green}, 01]`,
      takes: ['red', 'gr', '01', ['', 'red']],
      refuses: ['blue', 'Green', 'RED', ' red', '1', ['red', 'gr'], ['red', 'red'], ['red', 'blue']],
    }),
  ),
  ...['type: select, multiple: true', 'type: checkboxes'].map(
    (type): Rule => ({
      promise: `{${type}} takes any of its options and nothing else`,
      keys: `${type}, options: [red, {value: gr, label: Green}]`,
      takes: ['red', ['red', 'gr'], ['gr', 'red']],
      refuses: ['blue', 'Green', ['red', 'blue']],
    }),
  ),
  {
    promise: 'checkboxes takes from min_choices to max_choices of them',
    keys: 'type: checkboxes, options: [a, b, c, d], min_choices: 2, max_choices: 3',
    takes: [
      ['a', 'b'],
      ['a', 'b', 'c'],
    ],
    refuses: ['a', ['a', 'a'], ['a', 'b', 'c', 'd']],
  },
  {
    promise: 'checkbox takes only on',
    keys: 'type: checkbox',
    takes: ['on'],
    refuses: ['off', 'true', 'ON'],
  },
  {
    promise: 'checkbox takes only its checked_value',
    keys: 'type: checkbox, checked_value: "yes"',
    takes: ['yes'],
    refuses: ['on', 'no', ['yes', 'no']],
  },
  ...['text', 'textarea', 'tel'].flatMap((type): Rule[] => [
    {
      promise: `min_length of ${type} counts characters as browsers do`,
      keys: `type: ${type}, min_length: 3`,
      takes: ['abc', 'äöü', 'a\r\nb', '👍a', '   '],
      refuses: ['ab', 'ä', '\r\na', ['abc', 'ab']],
    },
    {
      promise: `max_length of ${type} counts characters as browsers do`,
      keys: `type: ${type}, max_length: 3`,
      takes: ['a', 'abc', '日本語', 'a\r\nb', '👍a'],
      refuses: ['abcd', '👍👍', '\r\nabc', ['a', 'abcd']],
    },
    {
      promise: `pattern of ${type} must match the whole value`,
      keys: `type: ${type}, pattern: "a|b+"`,
      takes: ['a', 'b', 'bbb'],
      refuses: ['ab', 'xa', 'ax', 'A', 'a\n', '\na', ['a', 'x']],
    },
  ]),
  {
    promise: 'lengths and pattern hold beside the check of an email',
    keys: 'type: email, max_length: 12, pattern: ".+@a\\\\.example"',
    takes: ['ab@a.example'],
    refuses: ['abc@a.example', 'a@b.example', 'a.example'],
  },
  {
    promise: 'lengths and pattern hold beside the check of a url',
    keys: 'type: url, min_length: 12, pattern: "https:.*"',
    takes: ['https://a.example'],
    refuses: ['http://a.example', 'https://a'],
  },
  {
    promise: 'pattern is read with the v flag, as in HTML',
    keys: "type: text, pattern: '[\\p{Lu}--[A-Z]]+'",
    takes: ['ÄÖ'],
    refuses: ['A', 'ä'],
  },
];

describe('what a field takes and refuses', () => {
  test.each(rules.map((rule) => [rule.promise, rule] as const))(
    '%s',
    async (_promise, { keys, takes, refuses = [] }) => {
      const form = await contact({ fields: `[{name: f, ${keys}}]` });
      const send = (values: string | readonly string[]) =>
        form.send(...[values].flat().map((value) => ['f', value] as const));
      for (const values of takes) {
        const { status, text } = await send(values);
        expect({ values, status, text }).toMatchObject({ status: 200 });
        const filled = [values].flat().filter((value) => value !== '');
        expect(form.delivered.at(-1)).toEqual(filled.map((value) => ['f', value]));
      }
      for (const values of refuses) {
        const { status, text } = await send(values);
        expect({ values, status, text }).toMatchObject({ status: 422, text: expect.stringMatching(/"f: /) });
      }
      expect(form.delivered).toHaveLength(takes.length);
    },
  );

  test.each([
    ['type: text, pattern: "["', 'pattern'],
    ['type: text, pattern: "[a-b-c]"', 'pattern'],
    ['type: text, min_length: 3, max_length: 2', 'max_length'],
    ['type: number, min: 3, max: 2', 'max'],
    ['type: number, step: 0', 'step'],
    ['type: date, min: 2023-02-29', 'min'],
    ['type: date, min: 2024-01-02, max: 2024-01-01', 'max'],
    ['type: select', 'options'],
    ['type: radios, options: []', 'options'],
    ['type: radios, options: [a, a]', 'options[1]'],
    ['type: select, options: [a], value: b', 'value'],
    ['type: checkboxes, options: [a], min_choices: 2', 'min_choices'],
    ['type: checkbox, value: maybe', 'value'],
    ['type: textarea, step: 1', 'step'],
  ])('{%s} keeps the config from loading, because of its %s', async (keys, key) => {
    expect(await fieldProblems(`[{name: f, ${keys}}]`)).toContain(`: forms.contact.fields[0].${key}: `);
  });
});

describe('Every field value is capped at 10 000 bytes', () => {
  /** 10 000 bytes of UTF-8, as many of them as possible in `filler`. */
  function full(filler: string, start = ''): string {
    const text = start + filler.repeat((10_000 - start.length) / Buffer.byteLength(filler));
    return text + 'a'.repeat(10_000 - Buffer.byteLength(text));
  }

  test.each([
    ['text', ''],
    ['textarea', ''],
    ['hidden', ''],
    ['tel', ''],
    ['email', 'a@'],
    ['url', 'https://a.example/'],
  ])('of UTF-8, not characters, in a %s field', async (type, start) => {
    const form = await contact({ fields: `[{name: f, type: ${type}}]` });
    for (const filler of ['a', 'é', '日', '👍']) {
      const value = full(filler, start);
      expect((await form.send(['f', value])).status).toBe(200);
      expect(form.delivered.at(-1)).toEqual([['f', value]]);
      expect((await form.send(['f', `${value}a`])).status).toBe(422);
    }
    expect(form.delivered).toHaveLength(4);
  });

  test('each, when there are several', async () => {
    const form = await contact({ fields: '[{name: f}]' });
    expect((await form.send(['f', full('a')], ['f', full('日')])).status).toBe(200);
    expect((await form.send(['f', full('a')], ['f', `${full('日')}a`])).status).toBe(422);
  });

  test('and told once, with what to do', async () => {
    const form = await contact({ fields: '[{name: f}, {name: g}]' });
    const answer = await form.submit('contact', [['f', `${full('a')}a`]], {
      accept: 'application/problem+json',
    });
    expect(answer.json).toMatchObject({
      errors: [
        { field: 'f', code: 'too_many_bytes', message: expect.stringMatching(/shorter .*10,000 bytes/) },
      ],
    });
  });

  test('in an undeclared field that an output sends, too', async () => {
    const outputs = '[{type: http_post, url: $sink, mapping: {x: extra}}]';
    const form = await contact({ fields: '[{name: f}]', outputs });
    expect((await form.send(['extra', full('日')])).status).toBe(200);
    expect((await form.send(['extra', `${full('日')}a`])).status).toBe(422);
    const answer = await form.send(['extra', 'a'], ['extra', `${full('日')}a`]);
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('extra')]);
  });

  test('but not in one that nothing uses: it is ignored (D4)', async () => {
    const form = await contact({ fields: '[{name: f}]' });
    expect((await form.send(['f', 'a'], ['extra', `${full('日')}a`])).status).toBe(200);
    expect(form.delivered).toEqual([[['f', 'a']]]);
  });
});

describe('A field submitted more than once', () => {
  test.each([
    'text',
    'hidden',
    'checkboxes, options: [b, a, c]',
    'select, options: [b, a, c], multiple: true',
  ])('keeps all its values, in order ({type: %s})', async (type) => {
    const form = await contact({ fields: `[{name: f, type: ${type}}, {name: g}]` });
    expect((await form.send(['f', 'b'], ['g', 'x'], ['f', 'a'], ['f', 'c'])).status).toBe(200);
    expect(form.delivered).toEqual([
      [
        ['f', 'b'],
        ['f', 'a'],
        ['f', 'c'],
        ['g', 'x'],
      ],
    ]);
  });
});

describe('visible_when', () => {
  /** `f` is required, so that it is missed exactly while it is there. */
  const when = (condition: string) =>
    contact({
      fields: `[{name: kind}, {name: f, required: true, visible_when: {field: kind, ${condition}}}]`,
    });

  test.each([
    ['is: business', ['business'], ['private', 'Business', '']],
    ['is: [a, b]', ['a', 'b'], ['c', 'a,b']],
    ['is_not: private', ['business', ''], ['private']],
    ['is_not: [a, b]', ['c'], ['a', 'b']],
    ['filled: true', ['x', ' '], ['']],
    ['filled: false', [''], ['x']],
  ])('{%s} shows and hides', async (condition, shows, hides) => {
    const form = await when(condition);
    for (const kind of shows) expect([kind, (await form.send(['kind', kind])).status]).toEqual([kind, 422]);
    for (const kind of hides) expect([kind, (await form.send(['kind', kind])).status]).toEqual([kind, 200]);
  });

  test.each([
    ['is: a', 200],
    ['is_not: a', 422],
    ['filled: true', 200],
    ['filled: false', 422],
  ])('{%s} of a field that was not sent', async (condition, status) => {
    const form = await when(condition);
    expect((await form.send()).status).toBe(status);
  });

  test('is holds when one of several values does', async () => {
    const form = await when('is: b');
    expect((await form.send(['kind', 'a'], ['kind', 'b'])).status).toBe(422);
  });

  test('a hidden field is not rendered', async () => {
    const form = await when('is: business');
    const rendered = async (query: string) => (await form.get(`/api/v1/form/contact${query}`)).text;
    expect(await rendered('')).not.toContain('name="f"');
    expect(await rendered('?kind=private&f=x')).not.toContain('name="f"');
    expect(await rendered('?kind=business')).toContain('name="f"');
  });

  test("a hidden field's value is not validated, and discarded from mapping, templates and headers", async () => {
    const form = await contact({
      fields: '[{name: kind}, {name: f, type: email, visible_when: {field: kind, is: business}}]',
      outputs: `[
        {type: http_post, url: $sink, mapping: "*"},
        {type: http_post, url: $sink, mapping: {mapped: f},
         static: {fixed: "<{{ .fields.f }}>", all: '<{{ values "f" | join "," }}>'}}]`,
    });
    const fields = [['f', 'no address'] as const];
    expect((await form.send(['kind', 'private'], ...fields)).status).toBe(200);
    expect(form.delivered).toHaveLength(2);
    expect(form.delivered).toContainEqual([['kind', 'private']]);
    expect(form.delivered).toContainEqual([
      ['all', '<>'],
      ['fixed', '<>'],
    ]);
    expect((await form.send(['kind', 'business'], ...fields)).status).toBe(422);
  });

  test('conditions chain: what depends on a hidden field is hidden, in whatever order they are declared', async () => {
    const form = await contact({
      fields: `[
        {name: c, required: true, visible_when: {field: b, is_not: x}},
        {name: b, visible_when: {field: a, is: "1"}},
        {name: a}]`,
    });
    expect((await form.send(['a', '1'], ['b', '2'], ['c', '3'])).status).toBe(200);
    expect((await form.send(['a', '0'], ['b', '2'], ['c', '3'])).status).toBe(200);
    expect(form.delivered).toEqual([
      [
        ['a', '1'],
        ['b', '2'],
        ['c', '3'],
      ],
      [['a', '0']],
    ]);
    expect((await form.send(['a', '1'])).status).toBe(422);
    expect((await form.send(['a', '1'], ['b', 'x'])).status).toBe(200);
  });

  test.each([
    [
      'a cycle of one',
      '[{name: a, visible_when: {field: a, is: x}}]',
      'fields[0].visible_when.field: this condition depends on itself',
    ],
    [
      'a cycle of two',
      '[{name: a, visible_when: {field: b, is: x}}, {name: b, visible_when: {field: a, is: x}}]',
      'fields[1].visible_when.field: this condition depends on itself',
    ],
    [
      'a field that is not declared',
      '[{name: a, visible_when: {field: b, is: x}}]',
      'fields[0].visible_when.field: "b" is not a declared field',
    ],
    [
      'two tests at once',
      '[{name: a, visible_when: {field: b, is: x, filled: true}}, {name: b}]',
      'expected exactly one of is, is_not and filled',
    ],
    [
      'no test',
      '[{name: a, visible_when: {field: b}}, {name: b}]',
      'expected exactly one of is, is_not and filled',
    ],
  ])('%s keeps the config from loading', async (_what, fields, problem) => {
    expect(await fieldProblems(fields)).toContain(problem);
  });
});
