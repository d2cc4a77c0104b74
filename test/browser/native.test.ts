import { describeInBrowser, openPage, stage } from './stage.ts';

/** A field, and values that a visitor could enter. */
const cases: readonly (readonly [field: string, values: readonly string[]])[] = [
  ['{name: f, required: true}', ['', ' ', 'x']],
  ['{name: f, pattern: "[A-Z]{2}|x-y"}', ['', 'AB', 'ABC', 'aAB', 'x-y', 'x-yz', 'AB ']],
  ['{name: f, pattern: "."}', ['é', '😀', 'ab']],
  ['{name: f, type: tel, pattern: "[0-9 ]+", required: true}', ['', '0 1', '+1']],
  [
    '{name: f, type: url}',
    [
      ...['', 'https://a.test', 'HTTP://a.test/x?y#z', 'http:/a.test', 'https://', 'https://a b'],
      ...['https://a.test/x y', 'ftp://a.test', 'a.test', 'https://ä.test', 'https://[::1]/'],
      ...['https://a.test:99999', 'javascript:alert(1)'],
    ],
  ],
  [
    '{name: f, type: url, pattern: "https://a[.]test/.*"}',
    ['https://a.test/', 'https://a.test', 'http://a.test/'],
  ],
  [
    '{name: f, type: number}',
    [
      ...['', '1', '-1', '1.5', '1e2', '1e-1', '.5', '1.', '+1', ' 1', '0x1', 'Infinity', '1e400'],
      ...['9007199254740993'],
    ],
  ],
  [
    '{name: f, type: number, min: 0.1, max: 1, step: 0.3}',
    ['0', '0.1', '0.4', '0.7', '0.8', '1', '1.3', '-0'],
  ],
  ['{name: f, type: number, step: 5, value: 2}', ['2', '7', '-3', '5', '0']],
  ['{name: f, type: number, step: any, min: -1}', ['0.123', '-1', '-1.0001']],
  [
    '{name: f, type: date, min: 2024-02-01, max: 2024-03-01, required: true}',
    [
      ...['', '2024-02-01', '2024-02-29', '2024-02-30', '2024-03-01', '2024-03-02', '2024-01-31'],
      ...['24-02-10', '2024-2-10'],
    ],
  ],
  [
    '{name: f, type: time, min: 9:00, max: 17:00, step: 15m, required: true}',
    ['', '09:00', '09:10', '09:15', '8:45', '08:45', '17:00', '17:15', '24:00', '09:00:30'],
  ],
  ['{name: f, type: time, value: 09:10, step: 30m}', ['09:10', '09:40', '09:00', '00:10']],
  [
    '{name: f, type: datetime, min: 2024-02-28 09:00, max: 2024-03-01 12:00, step: 30m}',
    ['2024-02-29T09:30', '2024-02-29T09:15', '2024-02-28T08:30', '2024-03-01T12:30', '2024-02-30T09:00'],
  ],
  ['{name: f, type: datetime, step: 8h}', ['2024-02-29T08:00', '2024-02-29T09:00', '1969-12-31T16:00']],
  ['{name: f, type: date}', ['0001-01-01', '0000-01-01', '2023-02-29', '9999-12-31']],
  ['{name: f, type: select, required: true, options: [a, b]}', ['', 'a', 'b']],
  ['{name: f, type: textarea, required: true}', ['', 'x', '\n']],
];

describeInBrowser('native checks', () => {
  test.each(cases)(
    'the browser’s check of %s agrees with the relay on everything that can be sent',
    async (field, values) => {
      const at = await stage({
        forms: `\n  f: {fields: [${field}], outputs: [{type: http_post, url: "$sink"}]}`,
      });
      const page = await openPage({ url: `${at.origin}/api/v1/form/f`, complains: /^The specified value/ });
      const judged = await page.locator('[name=f]').evaluate((control, values) => {
        const input = control as HTMLInputElement;
        return values.map((value) => {
          input.value = value;
          return { value, sent: input.value, isFine: input.validity.valid };
        });
      }, values);
      const answers = await Promise.all(judged.map(({ sent }) => at.submit('f', [['f', sent]])));
      const relays = judged.map((judgement, index) => ({
        ...judgement,
        isFine: answers[index]?.status === 200,
      }));
      expect(relays).toEqual(judged);
    },
  );

  // SPEC's rule for e-mail addresses is looser than that of `<input type="email">`, which SPEC also requires.
  test('the browser’s check of e-mail addresses accepts nothing that the relay refuses', async () => {
    const values = ['', 'a@b', 'a@b.test', '@b', 'a@', 'a@b@c', 'a', ' a@b ', 'a b@c', 'ä@b.test'];
    const at = await stage({
      forms: '\n  f: {fields: [{name: f, type: email}], outputs: [{type: http_post, url: "$sink"}]}',
    });
    const page = await openPage({ url: `${at.origin}/api/v1/form/f`, complains: /^The specified value/ });
    const passed = await page.locator('[name=f]').evaluate((control, values) => {
      const input = control as HTMLInputElement;
      return values.flatMap((value) => {
        input.value = value;
        return input.validity.valid ? [input.value] : [];
      });
    }, values);
    const answers = await Promise.all(passed.map((value) => at.submit('f', [['f', value]])));
    expect(passed).toEqual(['', 'a@b', 'a@b.test', 'a@b']);
    expect(answers.map(({ status }) => status)).toEqual(passed.map(() => 200));
  });

  test.each([
    ['{name: f, min_length: 2, max_length: 3}', ['a', 'ab', '😀', '😀b', '😀😀', 'abcd']],
    ['{name: f, type: textarea, min_length: 2, max_length: 3}', ['a', 'a\n', 'a\nb', 'a\nbc']],
  ])('the browser’s length checks agree with the relay: %s', async (field, values) => {
    const at = await stage({
      forms: `\n  f: {fields: [${field}], outputs: [{type: http_post, url: "$sink"}]}`,
    });
    const page = await openPage({ url: `${at.origin}/api/v1/form/f`, complains: /^The specified value/ });
    const input = page.locator('[name=f]');
    for (const value of values) {
      // Browsers check the length only of typed text, and stop at the maximum.
      await input.fill('');
      await input.focus();
      await page.keyboard.insertText(value);
      const { typed, isFine } = await input.evaluate((control: HTMLInputElement) => ({
        typed: control.value,
        isFine: control.validity.valid,
      }));
      const sent = (text: string) => at.submit('f', [['f', text.replaceAll('\n', '\r\n')]]);
      expect({ typed, isFine }).toEqual({ typed, isFine: (await sent(typed)).status === 200 });
      if (typed !== value) expect((await sent(value)).status).toBe(422);
    }
  });
});
