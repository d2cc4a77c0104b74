/** Runs the manual's examples: their answers, deliveries and log lines are as shown. */

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { mailboxText } from '../../packages/base/src/address.ts';
import type { HttpRequest, SesMessage, SmtpMessage } from '../../packages/core/src/services.ts';
import { parseTemplate } from '../../packages/schema/src/template/parse.ts';
import { serviceAccount } from '../support/authorization_server.ts';
import { failed, must, startRelay, type TestRelay } from '../support/index.ts';
import { type Block, blocksOf, papers, pathOf, read } from './papers.ts';
import { recipeEnv, serviceAt } from './services/index.ts';

/** The relay's environment, as described in the pages. */
const env = {
  ...recipeEnv,
  CRM_TOKEN: 't0ken',
  FORM_TOKEN_SECRET: 'long and random',
  GOOGLE_SERVICE_ACCOUNT: serviceAccount('https://oauth2.googleapis.com/token'),
  HOOK_KEY: 'k3y',
  MAIL_FROM_ADDRESS: 'forms@example.com',
  SMTP_PASSWORD: 'pa55word',
  SMTP_USERNAME: 'website@example.com',
  TURNSTILE_SECRET: '1x0000000000000000000000000000000AA',
  ZULIP_KEY: 'Ym90OmtleQ==',
};

const unremarkable = [
  'accept-encoding',
  'content-type',
  'form-relay-hops',
  'idempotency-key',
  'traceparent',
  'user-agent',
];

function shownRequest({ method = 'POST', url, headers, body }: HttpRequest): string {
  const own = Object.entries(headers).filter(([name]) => !unremarkable.includes(name));
  return `${method} ${url.href}\n${own.map(([name, value]) => `${name}: ${value}\n`).join('')}\n${body}\n`;
}

function shownMail({ from, to, replyTo, subject, text }: SmtpMessage | SesMessage): string {
  const reply = replyTo === undefined ? '' : `Reply-To: ${mailboxText(replyTo)}\n`;
  const sender = from === undefined ? '' : mailboxText(from);
  return `From: ${sender}\nTo: ${to.map(mailboxText).join(', ')}\n${reply}Subject: ${subject}\n\n${text}`;
}

interface Step {
  readonly name: string;
  readonly config: string;
  readonly command: string;
  readonly answer: string;
  /** The outputs' requests, and the log lines, as far as the page shows them. */
  readonly sent: readonly string[];
  readonly logged: readonly string[];
}

const isConfig = ({ language, kind }: Block) => language === 'yaml' && kind === '';
const isCurl = ({ language, text }: Block) => language === 'sh' && /^curl .*localhost:8080\/api/s.test(text);
const isSent = ({ language, text }: Block) =>
  language === 'text' && /^((POST|PUT|PATCH) https:|From: )/.test(text);
const isLog = ({ language, text }: Block) => language === 'json' && text.startsWith('{"level"');

/** Each `curl` line of a page, with the config above and the output below it. */
function stepsOf(paper: string): readonly Step[] {
  const blocks = blocksOf(paper);
  return blocks.flatMap((block, at): Step[] => {
    const answer = blocks[at + 1];
    if (!isCurl(block) || answer?.language !== 'json' || isLog(answer)) return [];
    const rest = blocks.slice(at + 2);
    const end = rest.findIndex((later) => !isSent(later) && !isLog(later));
    const shown = rest.slice(0, end < 0 ? rest.length : end);
    return [
      {
        name: `${paper}:${block.line}`,
        config: blocks.slice(0, at).findLast(isConfig)?.text ?? '',
        command: block.text,
        answer: answer.text,
        sent: shown.filter(isSent).map(({ text }) => text),
        logged: shown.filter(isLog).flatMap(({ text }) => text.trimEnd().split('\n')),
      },
    ];
  });
}

const manual = papers.filter(
  (paper) => paper.startsWith('docs/') && !/^docs\/(deploy|decisions)\//.test(paper),
);
const steps = manual.flatMap(stepsOf);

test('every request and mail in the manual belongs to an example that is run', () => {
  const shown = manual.flatMap(blocksOf).filter(isSent);
  expect(shown).not.toEqual([]);
  expect(steps.flatMap(({ sent }) => sent)).toEqual(shown.map(({ text }) => text));
});

describe.each(steps)('$name', ({ config, command, answer, sent, logged }) => {
  let relay: TestRelay;
  const out: string[] = [];
  beforeAll(async () => {
    relay = await startRelay({
      config,
      env,
      effects: {
        now: () => Date.parse('2030-12-31T23:59:59Z'),
        http: async (post) => {
          if (post.url.href.includes('siteverify'))
            return { status: 200, headers: {}, body: '{"success":true}' };
          if (post.body.includes('grant_type='))
            return { status: 200, headers: {}, body: '{"access_token":"t0ken"}' };
          out.push(
            shownRequest(post)
              .replace(/"id":"[\da-f-]{36}"/, '"id":"…"')
              // The delivery's id, in URLs that contain it.
              .replace(/[\da-f-]{36}-\d+/, '…'),
          );
          return serviceAt(post.url)?.take(post) ?? { status: 200, headers: {}, body: '' };
        },
        smtp: async (mail) => void out.push(shownMail(mail)),
        ses: async (mail) => void out.push(shownMail(mail)),
      },
    });
  });
  afterAll(() => relay.close());

  test('does what the page shows', async () => {
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', command.replaceAll('http://localhost:8080', relay.origin)],
      { env: { PATH: process.env.PATH } },
    );
    expect(`${stdout}\n`).toBe(answer);
    // Mails to visitors are sent after the answer.
    await expect.poll(() => out).toEqual(expect.arrayContaining([...sent]));
    expect(relay.logged.map(withoutChance)).toEqual(
      expect.arrayContaining(logged.map((line) => JSON.parse(line))),
    );
  });
});

/** A log event as shown in the pages: without random or changing parts. */
const withoutChance = (event: object) =>
  JSON.parse(JSON.stringify(event), (key, value) =>
    ['time', 'request_id', 'trace_id', 'ms'].includes(key) ? undefined : value,
  );

describe('docs/templates.md', () => {
  const page = read('docs/templates.md');
  const rows = [...page.matchAll(/^\|`(.*\{\{.*)`\|(.*)\|$/gm)].map(
    ([, source = '', gives = '']) =>
      [source.replaceAll('\\|', '|'), /^`(.*?)`/.exec(gives)?.[1] ?? ''] as const,
  );
  const curl = blocksOf('docs/templates.md').find(isCurl)?.text ?? '';
  const fields = new Map<string, string[]>();
  for (const [, quoted, plain] of curl.matchAll(/-d (?:'([^']*)'|(\S+))/g)) {
    const [name = '', value = ''] = (quoted ?? plain ?? '').split('=');
    fields.set(name, [...(fields.get(name) ?? []), value]);
  }

  test('has a table of templates', () => expect(rows.length).toBeGreaterThan(10));

  test.each(rows)('%s gives "%s"', (source, expected) => {
    const template = must(parseTemplate(source));
    const scope = {
      fields,
      formId: 'contact',
      submittedAt: '2030-12-31T23:59:59Z',
      env: (name: string) => (env as Record<string, string>)[name],
    };
    expect(template.render(scope)).toBe(expected);
  });
});

describe('the pages on failures', () => {
  const source = readdirSync(pathOf('packages'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|json)$/.test(path))
    .map((path) => readFileSync(pathOf(`packages/${path}`), 'utf8'))
    .join('\n');
  const pages = ['docs/troubleshooting.md', 'docs/delivery-failures.md'];
  const page = pages.map(read).join('\n');
  const events = pages
    .flatMap(blocksOf)
    .filter(isLog)
    .flatMap(({ text }) => text.trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as { event: string; reason?: string });
  /** Log lines in the tables: in the first cell, in code, up to a variable part (a status, a code). */
  const reasons = [...page.matchAll(/^(?:-|\|) `((?:[^`]|`` )+?)`(?::| \|)/gm)].map(
    ([, reason = '']) => reason,
  );
  const isInSource = (text: string) =>
    text
      .split(/\d+|…|: [A-Z0-9_ .]+$|"[^"]*"/)
      .map((part) => part.trim())
      .every((part) => source.includes(part) || source.includes(part.replaceAll('"', '\\"')));
  /** Reasons that are composed of parameters. */
  const made = [
    failed('nobody_listens', { call: 'connect', codes: ['ECONNREFUSED'] }),
    failed('unreachable', { call: 'connect', codes: ['ETIMEDOUT'] }),
    failed('closed', { before: 'answer' }),
    failed('closed', { before: 'acceptance' }),
    failed('closed', { before: 'ehlo' }),
    failed('smtp_refused', { command: 'MAIL', reply: '550' }),
    failed('smtp_refused', { command: 'RCPT', reply: '550 5.1.1' }),
    failed('smtp_refused', { command: 'DATA', reply: '554 5.7.1' }),
    failed('no_auth', { wanted: 'PLAIN', offered: [] }),
    failed('no_auth', { wanted: 'XOAUTH2', offered: [] }),
    failed('no_starttls_for_login', { isToken: false }),
    failed('login_refused', { reply: '535 5.7.8', isToken: false }),
    failed('ses_status', { status: 400, name: 'MessageRejected' }),
  ].map(({ message }) => message);
  const isReason = (text: string) => made.includes(text) || isInSource(text);

  test('shows events that the relay logs', () => {
    expect(events).not.toEqual([]);
    expect(events.filter(({ event }) => !source.includes(`'${event}'`))).toEqual([]);
    expect(events.flatMap(({ reason = '' }) => (isReason(reason) ? [] : [reason]))).toEqual([]);
  });

  test('names reasons that the relay gives', () => {
    expect(reasons.length).toBeGreaterThan(10);
    expect(reasons.filter((reason) => !isReason(reason))).toEqual([]);
  });
});
