/** No name is special: not the names that JavaScript's objects are born with, and not names made to collide. */
import { describe, expect, test } from 'vitest';
import { contact, httpSink, mailText, relayWith, smtpSink } from '../spec/stage.ts';

const born = [
  ...['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf', 'isPrototypeOf'],
  ...['__defineGetter__', '__lookupSetter__', 'toJSON', 'then', 'length', 'size', 'get', 'has', 'default'],
];
const nested = [
  '__proto__[x]',
  'constructor.prototype.x',
  '__proto__.x',
  'a[__proto__][x]',
  'a[]',
  'a[0]',
  '[object Object]',
];
const quoted = (name: string) => JSON.stringify(name);

const untouched = () => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>).x).toBeUndefined();
};

describe.each([...born, ...nested])('%s', (name) => {
  test('is a name as any other, declared', async () => {
    const relay = await contact({ fields: `[{name: ${quoted(name)}, required: true}]` });
    expect((await relay.send()).status).toBe(422);
    expect((await relay.send([name, 'x'], [name, 'y'])).status).toBe(200);
    expect(relay.delivered).toEqual([
      [
        [name, 'x'],
        [name, 'y'],
      ],
    ]);
    untouched();
  });
});

test.each(born)('%s in every place of an output', async (name) => {
  const http = await httpSink();
  const smtp = await smtpSink();
  const outputs = [
    `{type: http_post, url: "${http.origin}", headers: {${quoted(name)}: "<{{ .fields.${name} }}>"}, mapping: {${quoted(name)}: ${quoted(name)}}}`,
    `{type: smtp, host: 127.0.0.1, port: ${smtp.port}, to: a@b.test, static: {${quoted(name)}: '{{ join "+" (values "${name}") }}{{ env "${name}" }}'}}`,
  ];
  const relay = await relayWith({
    config: `forms: {contact: {fields: [{name: ${quoted(name)}}], outputs: [${outputs}]}}`,
  });
  expect(
    (
      await relay.submit('contact', [
        [name, '1'],
        [name, '2'],
      ])
    ).status,
  ).toBe(200);
  const [request] = http.requests;
  const header = (request?.rawHeaders ?? []).findIndex((text) => text.toLowerCase() === name.toLowerCase());
  expect(request?.rawHeaders[header + 1]).toBe('<1,2>');
  expect([...new URLSearchParams(request?.body)]).toEqual([
    [name, '1'],
    [name, '2'],
  ]);
  expect(mailText(smtp.mails[0]?.raw ?? '')).toContain(`${name}=1+2\n`);
});
