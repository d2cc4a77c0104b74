/** No name is special: neither names of inherited JavaScript properties, nor names made to collide. */

import {
  contact,
  httpSink,
  mailText,
  relayWith,
  smtpSink,
  startCpuClock,
  type TestRelay,
} from '../support/index.ts';

const born = [
  ...['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf', 'isPrototypeOf'],
  ...['__defineGetter__', '__lookupSetter__', 'toJSON', 'then', 'length', 'size', 'get', 'has', 'default'],
];
const nested = [
  ...['first name', 'on', '1', 'a.b', 'ä[]', 'a&b=c'],
  ...['__proto__[x]', 'constructor.prototype.x', '__proto__.x', 'a[__proto__][x]', 'a[]', 'a[0]'],
  ...['[object Object]'],
];
const quoted = (name: string) => JSON.stringify(name);

const untouched = () => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>).x).toBeUndefined();
};

describe.each([...born, ...nested])('%s', (name) => {
  test('is an ordinary name when declared', async () => {
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

describe('names made to collide', () => {
  /** 64 KB of distinct names, each sort of which would be slow in a predictable hash table. */
  const floods: Record<string, (n: number) => string> = {
    // Numbers hash to their value, and table sizes are powers of two.
    'multiples of 1024': (n) => String(n * 1_024),
    'multiples of 65536': (n) => String(n * 65_536),
    'numbers whose low bits agree': (n) => String(n * 2 ** 20 + 5),
    'numbers in reverse': (n) => String(9_999_999 - n),
    'numbers with a sign': (n) => `-${n}`,
    'the same up to the last characters': (n) => n.toString(36).padStart(5, '0'),
  };
  const filled = (name: (n: number) => string) => {
    const names = new Set<string>();
    let size = 0;
    for (let n = 0; n < 10_000 && size < 65_000; n += 1) {
      names.add(name(n));
      size += name(n).length + 1;
    }
    return [...names].join('&');
  };
  /** The minimum CPU time of several attempts, because other processes share the machine. */
  const leastMs = async (relay: TestRelay, body: string) => {
    const times: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      const cpuMs = startCpuClock();
      expect((await relay.submit('contact', body)).status).toBe(200);
      times.push(cpuMs());
    }
    return Math.min(...times);
  };

  test.each(Object.keys(floods))(
    '%s: 10,000 distinct fields take about as long as any others',
    async (what) => {
      const relay = await contact({ fields: '[{name: a}]' });
      const flood = filled(floods[what] as (n: number) => string);
      const count = flood.split('&').length;
      const harmless = Array.from({ length: count }, (_, n) => `k${n.toString(36)}`).join('&');
      await leastMs(relay, harmless);
      const [harmlessMs, floodMs] = [await leastMs(relay, harmless), await leastMs(relay, flood)];
      expect(floodMs).toBeLessThan(5 * harmlessMs + 10);
    },
  );
});
