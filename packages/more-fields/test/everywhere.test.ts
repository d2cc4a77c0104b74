/** Numbers, times and choices in every output. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  contact,
  decodeMail,
  httpSink,
  mailHeader,
  readStrictly,
  relayWith,
  smtpSink,
} from '../../../test/support/index.ts';
import { openTerminal } from '../../cli/test/terminal.ts';
import { openNewsletter, there } from '../../visitor-mails/test/mails/newsletter.ts';

const fields = `
      - {name: hour, type: time}
      - {name: when, type: datetime}
      - {name: stars, type: rating, label: Your rating}
      - {name: nps, type: scale}
      - {name: heat, type: range}
      - {name: land, type: country}
      - {name: kind, type: radios, options: [{value: clay, label: Clay}, glass]}`;

const sent = Object.entries({
  hour: '9:05',
  when: '2030-07-01T09:30',
  stars: '3',
  nps: '0',
  heat: '12.0',
  land: 'de',
  kind: 'clay',
});

const json = {
  hour: '09:05',
  when: '2030-07-01T09:30:00+02:00',
  stars: 3,
  nps: 0,
  heat: 12,
  land: 'DE',
  kind: 'clay',
};

/** As people read it. */
const words: Readonly<Record<string, string>> = {
  Hour: '09:05',
  When: '2030-07-01 09:30 (+02:00)',
  'Your rating': '3 of 5',
  Nps: '0 of 10',
  Heat: '12.0',
  Land: 'Germany',
  Kind: 'Clay',
};

const form = (outputs: string) => `
time_zone: Europe/Berlin
forms:
  contact:
    fields:${fields}
    outputs:${outputs}`;

test('mails, chats, webhooks, archives and their CSV each have them in the right format', async () => {
  const [smtp, sink, terminal] = [
    await smtpSink(),
    await httpSink({ answer: () => ({ body: 'ok' }) }),
    await openTerminal(),
  ];
  const folder = join(terminal.cwd, 'archive');
  await mkdir(folder);
  const relay = await relayWith({
    config: form(`
      - {type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: a@firm.example, to: a@b.example, html: true, subject: "{{ .fields.stars }} at {{ .fields.when }}"}
      - {type: slack, url: "${sink.origin}/slack"}
      - {type: webhook, url: "${sink.origin}/json", mapping: "*", when: {field: stars, is: "3"}}
      - {type: folder, path: "${folder}"}`),
  });
  expect((await relay.submit('contact', sent)).status).toBe(200);
  expect(JSON.parse(sink.bodyAt('/json'))).toEqual(json);
  const raw = smtp.mails[0]?.raw ?? '';
  expect(mailHeader(raw, 'subject')).toBe('3 at 2030-07-01T09:30:00+02:00');
  const lines = Object.entries(words).map(([label, value]) => `${label}: ${value}`);
  // In the mail's plain-text part.
  expect(decodeMail(raw).text).toContain(lines.join('\n'));
  for (const line of lines) expect(sink.bodyAt('/slack')).toContain(JSON.stringify(line));
  const csv = (await terminal.run('relay archive export --from archive')).stdout.split('\r\n')[1];
  expect(csv).toMatch(/"09:05","2030-07-01T09:30:00\+02:00","3","0","12\.0","DE","clay"$/);
});

test('people read numbers and times in the form’s language, and programs get the stored format', async () => {
  const smtp = await smtpSink();
  const mail = `type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: a@firm.example, to: a@b.example`;
  const { submit, sink } = await contact({
    top: 'time_zone: Europe/Berlin',
    keys: 'language: de',
    fields: `[{name: price, type: number, step: any}, {name: left, type: number, min: -9}, {name: heat, type: range, step: 0.5},
      {name: day, type: date}, {name: hour, type: time}, {name: when, type: datetime},
      {name: lines, type: repeat, label: Zeilen, fields: [{name: day, type: date}, {name: price, type: number, step: any}]}]`,
    outputs: `[{${mail}, html: true}, {${mail}, mapping: {price: price, day: day, when: when}},
      {type: slack, url: $origin/slack}, {type: webhook, url: $origin/json, mapping: "*"}]`,
    answer: () => ({ body: 'ok' }),
  });
  const sent = 'price=1234.50&left=-7&heat=12.5&day=2026-12-01&hour=9:05&when=2030-07-01T09:30';
  const { status } = await submit('contact', `${sent}&lines.1.day=2026-12-01&lines.1.price=0.5`);
  expect(status).toBe(200);
  const words = {
    Price: '1234,50',
    Left: '-7',
    Heat: '12,5',
    Day: '01.12.2026',
    Hour: '09:05',
    When: '01.07.2030, 09:30 (+02:00)',
  };
  const lines = Object.entries(words).map(([label, value]) => `${label}: ${value}`);
  const mails = smtp.mails.map(({ raw }) => readStrictly(raw).parts[0]?.text.replaceAll('\r\n', '\n') ?? '');
  const labelled = mails.find((text) => text.includes('Zeilen')) ?? '';
  expect(labelled).toContain(lines.join('\n'));
  expect(labelled).toContain('Day: 01.12.2026\n        Price: 0,5');
  expect(mails).toContain('day=2026-12-01\nprice=1234.50\nwhen=2030-07-01T09:30:00+02:00\n');
  for (const line of lines) expect(sink.bodyAt('/slack')).toContain(JSON.stringify(line));
  expect(JSON.parse(sink.bodyAt('/json'))).toEqual({
    price: 1234.5,
    left: -7,
    heat: 12.5,
    day: '2026-12-01',
    hour: '09:05',
    when: '2030-07-01T09:30:00+02:00',
    lines: [{ day: '2026-12-01', price: 0.5 }],
  });
});

test('explain computes them like the relay', async () => {
  const terminal = await openTerminal();
  const config = form('\n      - {type: webhook, url: "https://example.com/json", mapping: "*"}');
  await writeFile(join(terminal.cwd, 'webform.yaml'), config);
  const pairs = sent.map((pair) => pair.join('=')).join(' ');
  const { stdout } = await terminal.run(`relay explain contact ${pairs}`);
  expect(JSON.parse(/^ {2}(\{.*\})$/m.exec(stdout)?.[1] ?? '{}')).toEqual(json);
  const wrong = await terminal.run(
    'relay explain contact hour=25:00 when=2030-02-30T10:00 stars=6 land=XX heat=200',
  );
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toContain('invalid: hour, when, stars, heat, land (422)');
});

test('the link of a double opt-in contains them', async () => {
  const news = await openNewsletter({
    fields: fields.replaceAll('\n      - ', '\n- ').trim(),
    formKeys: 'time_zone: Europe/Berlin',
  });
  await news.subscribe(Object.fromEntries(sent));
  await news.confirm();
  const taken = Object.fromEntries(new URLSearchParams(there(news.list.requests[0]).body));
  expect(taken).toMatchObject({
    ...Object.fromEntries(Object.entries(json).map(([name, value]) => [name, String(value)])),
    heat: '12.0',
  });
});
