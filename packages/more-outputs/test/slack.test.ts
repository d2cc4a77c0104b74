import { expect, test } from 'vitest';
import { httpSink, relayWith } from '../../../test/spec/stage.ts';
import type { HttpSinkOptions } from '../../../test/support/http_sink.ts';
import { slack } from '../../../test/support/slack.ts';

const form = `
    title: Ask us
    fields:
      - {name: name, label: Your name}
      - {name: email}
      - {name: topics, type: checkboxes, options: [{value: r, label: The roof}, {value: w, label: Walls}]}
      - {name: kind, type: select, options: [{value: b, label: "Business, large"}, p], multiple: true}
      - {name: consent, label: "I [agree](https://firm.test/terms)", type: checkbox}
      - {name: message, type: textarea}`;

/** Texts that notify somebody, show another address than they lead to, or are markup, in one service or another. */
const hostile = [
  '<!channel> <!here> <!everyone> <@U0123ABC> <#C0123> <!subteam^S1|team> <!date^1^{date}|now>',
  '@everyone @here @channel @all @room @user <@123> <@!123> <@&123> <#123> <users/all> <users/1>',
  '<https://evil.test|https://bank.test> [https://bank.test](https://evil.test) [a]: https://evil.test ![i](//evil.test)',
  '<a href="https://evil.test">https://bank.test</a><b>b</b><br><img src=x onerror=alert(1)><!-- -->',
  '&lt;!channel&gt; &amp;amp; &#60;b&#62; &nbsp;',
  '*b* **b** _i_ __u__ ~s~ ~~s~~ `c` ```c``` ||s|| > q # h 1. l - l + l -# s | t | \\*b* \\',
  '```` ` `` ``` ````` :smile: :party_parrot: {{DATE(2017-02-14T06:08:39Z, SHORT)}} \u0024{x} @{body} {"type":"x"}',
  '/invite @a !ban !ping <t:0:R> </cmd:1> <id:customize> tg://user?id=1 slack://x $\\frac{a}{b}$ $$x$$',
  'matrix.to/#/@a:b.test @a:b.test #r:b.test !r:b.test https://matrix.to/#/@a:b.test mailto:a@b.test +49123 #tag $USD',
  'right\u202eto\u2066left\u2069\u200f \0null',
  '<at>Ada</at> <script>x</script> %0A " \' \\n \\u0000',
];

async function start({
  more = '',
  fields = form,
  answer = slack.answer,
}: {
  more?: string;
  fields?: string;
  answer?: HttpSinkOptions['answer'];
} = {}) {
  const sink = await httpSink({ answer });
  const config = `forms:\n  contact:${fields}\n    outputs:\n      - {type: slack, url: "${slack.url(sink.origin)}"${more}}\n`;
  const relay = await relayWith({ config });
  const shown = () => sink.requests.map(slack.read);
  const reason = () => relay.logged.findLast(({ event }) => event === 'delivery_failed')?.reason;
  return {
    relay,
    sink,
    shown,
    reason,
    send: (...pairs: [string, string][]) => relay.submit('contact', pairs),
  };
}

test('says what was filled in, as the visitor read it, in the order of the form', async () => {
  const { send, shown } = await start({ more: ', static: {Source: "form {{ .form.id }}", none: ""}' });
  const answer = await send(
    ['consent', 'on'],
    ['message', 'First line\r\nSecond: line\r\n\r\n\r\n\r\nEnd\r\n'],
    ['topics', 'w'],
    ['topics', 'r'],
    ['kind', 'b'],
    ['kind', 'p'],
    ['email', ''],
    ['name', '  Zoë 🏴󠁧󠁢󠁥󠁮󠁧󠁿  '],
    ['unknown', 'x'],
  );
  expect(answer.status).toBe(200);
  expect(shown()).toEqual([
    {
      title: 'Ask us',
      entries: [
        ['Your name', 'Zoë 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
        ['Topics', 'Walls, The roof'],
        ['Kind', '- Business, large\n- p'],
        ['I agree', '✓'],
        ['Message', 'First line\nSecond: line\n\nEnd'],
        ['Source', 'form contact'],
      ],
      footer: [],
      alive: [],
    },
  ]);
});

test('the message lists the names and sizes of files', async () => {
  const { relay, shown } = await start({
    fields:
      '\n    title: Apply\n    fields: [{name: cv, type: file}, {name: plans, type: file, multiple: true}]',
  });
  const body = new FormData();
  const pdf = (name: string, bytes: number) =>
    new File([Buffer.from('%PDF-1.7\n'.padEnd(bytes, 'x'))], name, { type: 'application/pdf' });
  body.append('cv', pdf('@here *cv* [x](evil.test).pdf', 2_048));
  body.append('plans', pdf('a.pdf', 20));
  body.append('plans', pdf('b.pdf', 1_572_864));
  expect((await relay.request('/api/v1/submit/contact', { method: 'POST', body })).status).toBe(200);
  const [{ entries, alive } = { entries: [], alive: [] }] = shown();
  expect(entries.map(([label]) => label)).toEqual(['Cv', 'Plans']);
  expect(entries[0]?.[1]).toMatch(/cv.*\.pdf \(2 KB\)$/);
  expect(entries[1]?.[1]).toBe('a.pdf (20 bytes), b.pdf (1.5 MB)');
  expect(alive).toEqual([]);
});

test('has a title of its own, and never none', async () => {
  const [titled, untitled] = [
    await start({ more: ', title: "{{ .fields.name }}"' }),
    await start({ fields: '\n    fields: [{name: name}]' }),
  ];
  await titled.send(['name', 'Ada\r\nLovelace']);
  await titled.send(['name', '\u202e \t']);
  await untitled.send(['name', 'Ada']);
  await untitled.send(['name', '']);
  expect([...titled.shown(), ...untitled.shown()].map(({ title }) => title)).toEqual([
    'Ada Lovelace',
    'Ask us',
    'contact',
    'contact',
  ]);
});

test('shows what would ring somebody, lie or break out as it is, in the title and as a value', async () => {
  const { send, shown } = await start({
    more: ', title: "New: {{ .fields.name }}", static: {Said: "{{ .fields.name }}!"}',
  });
  for (const text of hostile) {
    expect((await send(['name', text], ['message', `${text}\n${text}`])).status).toBe(200);
    const clean = text.replaceAll(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\0]/g, '');
    expect(shown().at(-1)).toEqual({
      title: `New: ${clean}`,
      entries: [
        ['Your name', clean],
        ['Message', `${clean}\n${clean}`],
        ['Said', `${clean}!`],
      ],
      footer: [],
      alive: [],
    });
  }
  expect(shown()).toHaveLength(hostile.length);
});

test('cuts what is too long, between two characters, and leaves out what is too much', async () => {
  const names = Array.from({ length: 150 }, (_, index) => `f${index}`);
  const fields = `\n    fields: [${names.map((name) => `{name: ${name}, label: "${name} ${'long '.repeat(100)}"}`).join(', ')}]`;
  const { send, shown, reason } = await start({ fields, more: ', title: "{{ .fields.f0 }}"' });
  for (const text of ['👩‍👩‍👧‍👦"<&*', 'é', '`\\_', '\n<', 'a']) {
    const value = text.repeat(10_000).slice(0, Math.floor(9_000 / Buffer.byteLength(text)) * text.length);
    expect((await send(['f0', value], ['f149', 'last'])).status, reason() as string).toBe(200);
    const [{ title, entries, footer } = { title: '', entries: [], footer: [] }] = shown().slice(-1);
    const [[, cut = ''] = []] = entries;
    expect(footer).toEqual([]);
    expect(entries.at(-1)?.[1]).toBe('last');
    for (const one of [title, cut]) {
      if (one.length === value.length) continue;
      expect(one).toMatch(one === title ? /…$/ : /… \(shortened\)$/);
      const kept = one.replace(/…( \(shortened\))?$/, '');
      expect(
        text
          .repeat(10_000)
          .replaceAll(/\n+/g, one === title ? ' ' : '\n')
          .trim(),
      ).toContain(kept);
      expect(kept).not.toMatch(/[\ud800-\udbff]$|\u200d$/);
    }
  }
  const pairs = names.map((name): [string, string] => [name, `${name} ${'words '.repeat(60)}`]);
  expect((await send(...pairs)).status, reason() as string).toBe(200);
  const [{ entries, footer } = { entries: [], footer: [] }] = shown().slice(-1);
  expect(entries.length).toBeGreaterThan(5);
  expect(footer).toEqual([`${150 - entries.length} more fields are left out`]);
});

test('says below on which page it was filled in, where that is known and the form asks for it', async () => {
  const { send, shown } = await start({ fields: '\n    page: true\n    fields: [{name: name}]' });
  const pages = [
    'https://firm.test/boots?a=<!channel>&b=*x*|@here',
    `https://firm.test/${'b'.repeat(1_900)}`,
    'boots',
  ];
  for (const page of pages) expect((await send(['name', 'Ada'], ['_page_url', page])).status).toBe(200);
  expect(shown().map(({ footer, alive }) => [...footer, ...alive])).toEqual([
    ['https://firm.test/boots?a=%3C!channel%3E&b=*x*|@here'],
    [expect.stringMatching(/^https:\/\/firm\.test\/b{100,290}…$/)],
    [],
  ]);
});

test.each(slack.refusals)('$name', async ({ answer, says, waitsMs }) => {
  const { relay, sink, send, reason } = await start({ answer: () => answer });
  expect((await send(['name', 'Ada'])).status).toBe(500);
  expect(reason()).toBe(says);
  expect(sink.requests).toHaveLength(waitsMs === undefined ? 1 : 2);
  if (waitsMs !== undefined) expect(relay.waited[0]).toBeGreaterThanOrEqual(waitsMs);
});
