/** Numbers and days in the digits of other scripts, through real HTTP. */
import { expect, test } from 'vitest';
import { contact } from '../../../test/spec/stage.ts';

const typed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'type: number, step: 0.5': {
    '４２': '42',
    '٤٢': '42',
    '۴۲': '42',
    '\u200f٤٢\u200f': '42',
    '－１２．５': '-12.5',
    '−3': '-3',
    '४२': '42',
    '١٬٠٠٠٫٥': '1000.5',
    '１，０００．５': '1000.5',
    '42': '42',
  },
  'type: range, step: 5': { '５０': '50', '٥٠': '50', '۵۰': '50' },
  'type: date, min: 2026-01-01': {
    '２０２６-０２-０３': '2026-02-03',
    '２０２６－０２－０３': '2026-02-03',
    '٢٠٢٦-٠٢-٠٣': '2026-02-03',
    '۲۰۲۶-۰۲-۰۳': '2026-02-03',
  },
};

test.each(Object.entries(typed))('{%s} delivers the digits of ASCII', async (keys, values) => {
  const form = await contact({ fields: `[{name: f, ${keys}}]` });
  for (const [value, delivered] of Object.entries(values)) {
    expect({ value, status: (await form.send(['f', value])).status }).toEqual({ value, status: 200 });
    expect({ value, got: form.delivered.at(-1) }).toEqual({ value, got: [['f', delivered]] });
  }
});

test.each(['10²', '½', '³½', '①', '٣x', '٣ ٤', '٤٢ €', '４２,５', '４２，５', '一'])(
  '%s is no number',
  async (value) => {
    const form = await contact({ fields: '[{name: f, type: number, step: any}]' });
    expect((await form.send(['f', value])).status).toBe(422);
    expect(form.delivered).toEqual([]);
  },
);

test('a form with another error shows what was meant, since browsers show nothing else', async () => {
  const form = await contact({
    fields:
      '[{name: name, required: true}, {name: n, type: number}, {name: d, type: date}, {name: r, type: range}, {name: c, type: country}]',
  });
  const sent: [string, string][] = [
    ['n', '٤٢'],
    ['d', '２０２６-０２-０３'],
    ['r', '۵۰'],
    ['c', 'de'],
  ];
  const { text } = await form.submit('contact', sent, { 'hx-request': 'true' });
  expect(text).toMatch(/name="n"[^>]* value="42"/);
  expect(text).toMatch(/name="d"[^>]* value="2026-02-03"/);
  expect(text).toMatch(/name="r"[^>]* value="50"/);
  expect(text).toMatch(/<option value="DE" selected/);
});
