/** Typed fields that take one value, sent several. Plain fields keep them all (SPEC: Field). */
import { expect, test } from 'vitest';
import { contact } from '../../../test/spec/stage.ts';

test.each([
  ['{name: f, type: range}', 'f', '1', '2'],
  ['{name: f, type: tel, country: DE}', 'f', '+4930901820', '+4930901821'],
  ['{name: f, type: time}', 'f', '09:00', '10:00'],
  ['{name: f, type: datetime}', 'f', '2030-12-31T09:00', '2030-12-31T10:00'],
  ['{name: f, type: repeat, fields: [{name: n, type: number}]}', 'f.1.n', '1', '8'],
  ['{name: f, type: repeat, fields: [{name: n}]}', 'f.1.n', 'a', 'b'],
])('%s refuses a second one, and shows only the first', async (fields, name, first, second) => {
  const form = await contact({ fields: `[${fields}]` });
  expect((await form.send([name, first])).status).toBe(200);
  const sent: [string, string][] = [
    [name, first],
    [name, second],
  ];
  expect(await form.send(...sent)).toMatchObject({
    status: 422,
    json: { error: `${name}: Enter one value.` },
  });
  const page = await form.submit('contact', sent, { 'hx-request': 'true', accept: '*/*' });
  expect(page.text).toContain(`value="${first}"`);
  expect(page.text).not.toContain(`value="${second}"`);
});

test.each([
  ['{name: f, type: number}', ['1', '8']],
  ['{name: f, type: date}', ['2030-11-01', '2030-12-01']],
  ['{name: f, type: checkbox}', ['on', 'on']],
  ['{name: f, type: checkboxes, options: [1, 8]}', ['1', '8']],
])('%s takes several', async (fields, values) => {
  const form = await contact({ fields: `[${fields}]` });
  expect((await form.send(...values.map((value) => ['f', value] as const))).status).toBe(200);
  expect(form.delivered[0]?.filter(([name]) => name === 'f').map(([, value]) => value)).toEqual(values);
});
