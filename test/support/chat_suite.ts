/** Promises of every chat output; each output's test adds its service's rules, and how messages are read. */
import { httpDestination, outputContract } from 'form-relay/testing';
import { diagnose } from '../../packages/doctor/test/stage.ts';
import type { SinkAnswer, SunkRequest } from './http_sink.ts';
import { httpSink, relayWith } from './stage.ts';

/** Any JSON value. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Chat {
  readonly type: string;
  /** Keys of an output that sends to a server at `origin`. */
  readonly keys: (origin: string) => object;
  readonly env?: Readonly<Record<string, string>>;
  /** The body of the answer to an accepted message. */
  readonly taken: string;
  /** Documented rules that a request violates. */
  readonly broken: (request: SunkRequest) => readonly string[];
  readonly read: (request: SunkRequest) => Shown;
  /** Answers that refuse a message, with the reason in the log, and the minimum wait before any retry. */
  readonly refusals: Readonly<Record<string, readonly [answer: SinkAnswer, says: string, waitsMs?: number]>>;
  /** The findings of `relay doctor`, given the service's answer to each of its requests. */
  readonly probes?: readonly (readonly [answer: (request: SunkRequest) => SinkAnswer, says: string])[];
}

export interface Shown {
  readonly title: string;
  readonly entries: readonly (readonly [label: string, value: string])[];
  readonly footer: readonly string[];
  /** The parts that notify people, are links, or are markup. */
  readonly alive: readonly string[];
}

export const jsonOf = ({ bytes }: SunkRequest): Json => JSON.parse(bytes.toString('utf8'));

/** The names of violated rules. */
export const unheld = (rules: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.keys(rules).filter((rule) => !rules[rule]);

/** Markup in which a backslash escapes every special character. */
export const unescaped = (text: string) => ({
  text: text.replaceAll(/\\([^0-9A-Za-z\s])/g, '$1'),
  alive:
    text.replaceAll(/\\[^0-9A-Za-z\s]/g, '').match(/[*_~`|<>#@[\]\\]|:(?=\w)|^\s*(?:\d+[.)]|[-+]) /gm) ?? [],
});

/** Rows of `Label: value`, labels with indented lines below, and lines without a label. */
export function readLines(text: string) {
  const lines = text.split(/\n+(?! {4}|\n)/).filter((line) => line !== '');
  const isEntry = (line: string) => /^[^\n]*:(\n| )/.test(line);
  return { entries: lines.filter(isEntry).map(entryOf), footer: lines.filter((line) => !isEntry(line)) };
}

export function entryOf(line: string): readonly [string, string] {
  const [, label, below] = /^([^\n]*?):\n((?: {4}[^\n]*(?:\n|$)|\n)+)$/.exec(line) ?? [];
  if (label !== undefined && below !== undefined) return [label, below.replaceAll(/^ {4}/gm, '')];
  const at = line.indexOf(': ');
  return [line.slice(0, at), line.slice(at + 2)];
}

const fields = [
  { name: 'name', label: 'Your name' },
  { name: 'email' },
  { name: 'topics', type: 'checkboxes', options: [{ value: 'r', label: 'The roof' }, 'w'] },
  { name: 'consent', label: 'I [agree](https://firm.test/terms)', type: 'checkbox' },
  { name: 'cv', type: 'file' },
  { name: 'message', type: 'textarea' },
];

/** Texts that notify people, disguise a link, or are markup in some service. */
const hostile = [
  '<!channel> <!here> <@U0123ABC> <#C0123> <!subteam^S1|team> <!date^1^{date}|now> @**all** #**sales>x** <time:2026>',
  '@everyone @here @channel @all @room @user <@123> <@!123> <@&123> <#123> <users/all> >@all',
  '<https://evil.test|https://bank.test> [https://bank.test](https://evil.test) [a]: https://evil.test ![i](//evil.test)',
  '<a href="https://evil.test">https://bank.test</a><b>b</b><br><img src=x onerror=alert(1)><!-- --> &lt;b&gt; &amp; &nbsp;',
  '*b* **b** _i_ __u__ ~s~ ~~s~~ `c` ```c``` ||s|| > q # h 1. l - l + l -# s | t | \\*b* \\ $$x$$',
  '```` ` `` ``` ````` :smile: {{DATE(2017-02-14T06:08:39Z, SHORT)}} \u0024{x} @{body} {"type":"x"} <at>Ada</at>',
  '/invite @a !ban <t:0:R> </cmd:1> tg://user?id=1 https://matrix.to/#/@a:b.test mailto:a@b.test +49123 $USD %0A \\u0000',
  'right\u202eto\u2066left\u2069\u200f \0null',
];

/** The answer to a message, depending on whether it follows the service's rules. */
export function answerOf(
  { broken, taken }: Pick<Chat, 'broken' | 'taken'>,
  request: SunkRequest,
): SinkAnswer {
  const rules = broken(request);
  return rules.length === 0 ? { body: taken } : { status: 400, body: JSON.stringify({ rules }) };
}

/** Runs the promises as tests. */
export const holdsPromisesOfChats = (chat: Chat) =>
  describe(chat.type, () => {
    const { type, env = {} } = chat;
    const start = async ({
      more = {},
      form = {},
      answer = (request) => answerOf(chat, request),
    }: Staged = {}) => {
      const sink = await httpSink({ answer });
      const output = { type, ...chat.keys(sink.origin), ...more };
      const config = JSON.stringify({
        forms: { contact: { title: 'Ask us', fields, outputs: [output], ...form } },
      });
      const relay = await relayWith({ config, env });
      const reason = () => relay.logged.findLast(({ event }) => event === 'delivery_failed')?.reason;
      return {
        relay,
        sink,
        reason,
        shown: () => sink.requests.map(chat.read),
        send: (...pairs: [string, string][]) => relay.submit('contact', pairs),
      };
    };
    const contract = outputContract({
      type,
      env,
      secrets: Object.values(env),
      destination: httpDestination({
        keys: (port) => ({ ...chat.keys(`http://127.0.0.1:${port}`) }),
        answer: chat.taken,
        text: (body) => decodeURIComponent(body).replaceAll(/\\+/g, ''),
      }),
    });
    test.each([...contract])('$name', ({ run }) => run());

    test('writes labels and texts in the form’s order, the names of files, and the page', async () => {
      const { relay, shown } = await start({
        form: { page: true },
        more: { static: { Source: 'form {{ .form.id }}' } },
      });
      const body = new FormData();
      for (const [name, value] of Object.entries({
        consent: 'on',
        message: 'One\r\n\r\n\r\nTwo: 2\r\n',
        name: ' Zoë 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ',
      }))
        body.append(name, value);
      for (const topic of ['w', 'r']) body.append('topics', topic);
      body.append(
        'cv',
        new File(['%PDF-1.7'.padEnd(2_048)], 'my @here *cv*.pdf', { type: 'application/pdf' }),
      );
      body.append('_page_url', 'https://firm.test/boots?b=*x*|@here');
      const { status } = await relay.request('/api/v1/submit/contact', { method: 'POST', body });
      expect(status, JSON.stringify(relay.logged)).toBe(200);
      expect(shown()).toEqual([
        {
          title: 'Ask us',
          entries: [
            ['Your name', 'Zoë 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
            ['Topics', 'w, The roof'],
            ['I agree', '✓'],
            ['Cv', 'my @here cv.pdf (2 KB)'],
            ['Message', 'One\n\nTwo: 2'],
            ['Source', 'form contact'],
          ],
          footer: ['https://firm.test/boots?b=*x*|@here'],
          alive: [],
        },
      ]);
    });

    test('writes visitors’ text unchanged, in the title, as a value and on a line of its own', async () => {
      const { send, shown, reason } = await start({
        more: { title: '{{ .fields.name }}', mapping: { Who: 'name', 'E*mail': 'message' } },
      });
      for (const text of hostile) {
        expect(
          (await send(['name', text], ['message', `${text}\n${text}\nName: x`])).status,
          String(reason()),
        ).toBe(200);
        const clean = text.replaceAll(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\0]/g, '').slice(0, 240);
        expect(shown().at(-1)).toMatchObject({
          entries: [
            ['Who', clean],
            ['E*mail', `${clean}\n${clean}\nName: x`],
          ],
          alive: [],
        });
        expect(clean.startsWith(shown().at(-1)?.title.replace(/…$/, '') ?? '?')).toBe(true);
      }
    });

    test('truncates what the service does not accept, between two characters, and says so', async () => {
      const names = Array.from({ length: 300 }, (_, index) => `f${index}`);
      const { send, shown, reason } = await start({
        form: { fields: names.map((name) => ({ name, type: 'textarea' })) },
      });
      for (const text of ['👩‍👩‍👧‍👦"<&*', 'é', '`\\_', '\n<', '@a ', 'a']) {
        // The relay accepts 10,000 bytes in a field, and 64 KB in total.
        const size = Math.max(Buffer.byteLength(text) / 9_900, encodeURIComponent(text).length / 20_000);
        const value = text.repeat(Math.floor(1 / size));
        const { text: said } = await send(['f0', value], ['f1', value], ['f2', value], ['f299', 'last']);
        expect(said, String(reason())).toBe('{"message":"ok"}');
        const { entries = [] } = shown().at(-1) ?? {};
        const [[, cut = ''] = []] = entries;
        expect(entries.at(-1)?.[1]).toBe('last');
        const kept = cut.replace(/… \(shortened\)$/, '');
        expect(kept.length > 100 && value.trim().replaceAll(/\n+/g, '\n').startsWith(kept)).toBe(true);
        expect(kept).not.toMatch(/[\ud800-\udbff]$|\u200d$/);
      }
      const words = names.map((name): [string, string] => [name, `@all ${'words '.repeat(20)}`]);
      expect((await send(...words)).status, String(reason())).toBe(200);
      const { entries = [], footer = [] } = shown().at(-1) ?? {};
      if (entries.length < 300) expect(footer).toEqual([`${300 - entries.length} more fields are left out`]);
      expect(entries.length).toBeGreaterThan(5);
    }, 30_000);

    test.each(Object.entries(chat.refusals))(
      'fails if the service refuses: %s',
      async (_, [answer, says, waitsMs]) => {
        const { relay, sink, send, reason } = await start({ answer: () => answer });
        expect((await send(['name', 'Ada'])).status).toBe(500);
        expect(reason()).toBe(says);
        expect(sink.requests).toHaveLength(waitsMs === undefined ? 1 : 2);
        if (waitsMs !== undefined) expect(relay.waited[0]).toBeGreaterThanOrEqual(waitsMs);
        for (const secret of [...Object.values(env), 'XXXX', 'Ada'])
          expect(JSON.stringify(relay.logged)).not.toContain(secret);
      },
    );

    test.each(chat.probes ?? [])('is probed: %s %s', async (answer, says) => {
      const sink = await httpSink({ answer });
      const output = { type, ...chat.keys(sink.origin) };
      const config = JSON.stringify({ forms: { contact: { fields, outputs: [output] } } });
      expect((await diagnose(/outputs/, config, { env })).join('\n')).toContain(says);
    });
  });

interface Staged {
  readonly more?: object;
  readonly form?: object;
  readonly answer?: (request: SunkRequest) => SinkAnswer;
}
