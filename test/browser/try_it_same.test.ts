/**
 * What "Try it" shows is what the relay in Node says and would send: the same requests go to the page's worker and to a
 * studio in Node, at the same moment by their clocks and with the same chance, and the answers are compared as they are.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { Worker } from 'playwright-core';
import { expect, test } from 'vitest';
import type { RelayRequest } from '../../packages/relay/src/base/http.ts';
import { err, ok } from '../../packages/relay/src/base/result.ts';
import { inspectInLanguages } from '../../packages/relay/src/config/parse.ts';
import { createPatternThread } from '../../packages/relay/src/fields/pattern/pattern_thread.ts';
import { createRelay } from '../../packages/relay/src/relay.ts';
import { recipes } from '../../packages/studio/src/recipes.ts';
import type { StudioState, Written } from '../../packages/studio/src/state.ts';
import { createStudio } from '../../packages/studio/src/studio.ts';
import { firstConfig } from '../../packages/studio/try/first.ts';
import { place } from '../../packages/studio/try/place.ts';
import { isFuzzing } from '../support/fuzz.ts';
import { complaintsOf, describeInBrowser } from './stage.ts';
import { openTryIt } from './try_it_stage.ts';

interface Exchange {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
interface Asked {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: string;
  readonly body?: string;
  readonly type?: string;
  readonly accept?: string;
}
/** Answers, and tells the stories that came with them. */
type Ask = (asked: Asked) => Promise<{ readonly answer: Exchange; readonly stories: readonly string[] }>;

const now = Date.UTC(2026, 5, 1, 12);
const chance = '07070707-0707-4707-8707-070707070707';

const headersOf = ({ type, accept = 'application/json' }: Asked) => ({
  host: 'localhost',
  origin: 'http://localhost',
  accept,
  'content-type': type ?? 'application/x-www-form-urlencoded',
  'user-agent': 'Mozilla/5.0',
  'accept-language': 'en',
});

async function inNode(): Promise<Ask> {
  const relay = createRelay({ config: '', env: {}, effects: { now: () => now, log: () => undefined } });
  const patterns = createPatternThread();
  const parse = (text: string) =>
    inspectInLanguages(text, 'webform.yaml', async () => err('no file is beside it on this page'));
  let text = firstConfig;
  const studio = createStudio({
    settings: relay.settings,
    effects: { ...relay.effects, uuid: () => chance, random: () => 0.5, matchPatterns: patterns.match },
    file: {
      name: 'webform.yaml',
      load: async () => ({ text, result: await parse(text) }),
      parse,
      save: async (latest) => {
        text = latest;
        return ok('saved');
      },
    },
    run: 'try-it',
    asset: () => Promise.reject(new Error('none')),
    place,
  });
  await studio.reload();
  let stories: string[] = [];
  studio.listen(0, ({ type, data }) => {
    if (type === 'story') stories.push(JSON.stringify(data));
  });
  return async (asked) => {
    stories = [];
    const request: RelayRequest = {
      ...{ method: asked.method, path: asked.path, query: asked.query ?? '', headers: headersOf(asked) },
      body: Buffer.from(asked.body ?? ''),
    };
    const { status, headers, body } = await studio.handle(request);
    return { answer: { status, headers, body }, stories };
  };
}

const prelude = `Date.now=()=>${now};Math.random=()=>0.5;crypto.getRandomValues=(bytes)=>bytes.fill(7)`;

/** Takes the place of the page towards its worker, which learns of nothing. */
async function inWorker(worker: Worker): Promise<Ask> {
  await worker.evaluate(() => {
    const stories: string[] = [];
    const answers = new Map<number, (answer: unknown) => void>();
    const say = self.postMessage.bind(self) as (message: unknown) => void;
    self.postMessage = ((message: {
      kind: string;
      id: number;
      answer: unknown;
      event: { type: string; data: unknown };
    }) => {
      if (message.kind === 'answer' && answers.has(message.id)) answers.get(message.id)?.(message.answer);
      else if (message.kind === 'event' && message.event.type === 'story')
        stories.push(JSON.stringify(message.event.data));
      // The page would put its own text back.
      else if (message.kind !== 'event') say(message);
    }) as typeof self.postMessage;
    let asked = 1_000_000;
    Object.assign(self, {
      askHere: async (request: object) => {
        stories.length = 0;
        asked += 1;
        const id = asked;
        const answer = await new Promise((resolve) => {
          answers.set(id, resolve);
          dispatchEvent(new MessageEvent('message', { data: { kind: 'ask', id, request } }));
        });
        return { answer, stories: [...stories] };
      },
    });
  });
  return (asked) =>
    worker.evaluate(
      async ({ asked, headers }) =>
        (self as unknown as { askHere: (request: object) => never }).askHere({
          ...{ method: asked.method, path: asked.path, query: asked.query ?? '', headers },
          body: new TextEncoder().encode(asked.body ?? ''),
        }),
      { asked, headers: headersOf(asked) },
    );
}

/** Where the two may differ, as the page says. */
const alike = (text: string) =>
  text
    // Numbers of stories.
    .replaceAll(/(\\?"(?:number|version)\\?":)\d+/g, '$1"N"')
    // Node signs.
    .replaceAll(/DKIM-Signature:.*?(?=(?:\\r)?\\n[^ ])/gs, 'DKIM-Signature')
    // Another program compresses what a link holds.
    .replaceAll(/(confirm\/(?:[\w-]+\/)?)[\w-]{40,}/g, '$1sealed');

const decoded = (text: string) =>
  text.replaceAll('&#34;', '"').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');

/** Everything that can be asked about a config: what is wrong with it, each form, and what becomes of a submission. */
async function everything(ask: Ask, config: string): Promise<readonly string[]> {
  const told: string[] = [];
  const tell = async (asked: Asked) => {
    const { answer, stories } = await ask(asked);
    told.push(
      `${asked.method} ${asked.path}?${asked.query ?? ''}\n${JSON.stringify(answer, null, 1)}`,
      ...stories,
    );
    return answer;
  };
  const draft = await tell({ method: 'POST', path: '/studio/config/draft', body: config });
  const written: Partial<Written> = draft.status === 200 ? JSON.parse(draft.body) : {};
  // While a config does not load, the forms are those of the one before.
  const forms = written.state?.file.state === 'fresh' ? written.state.forms : [];
  for (const { id } of forms) {
    const name = encodeURIComponent(id);
    const { body } = await tell({ method: 'GET', path: '/studio/state', query: `form=${name}` });
    const { form }: StudioState = JSON.parse(body);
    expect(form?.id).toBe(id);
    const samples = form?.samples ?? [];
    const accept = 'text/html;profile=form-relay';
    await tell({ method: 'GET', path: `/api/v1/form/${name}`, accept });
    await tell({ method: 'GET', path: `/api/v1/form/${name}`, query: 'as=page', accept: 'text/html' });
    const { body: token } = await tell({ method: 'GET', path: `/api/v1/token/${name}`, accept: 'text/html' });
    const [, field = '', value = ''] = /name="([^"]+)" value="([^"]+)"/.exec(token) ?? [];
    const values = samples.flatMap(([one, value]) => (value.startsWith('data:') ? [] : [[one, value]]));
    const path = `/api/v1/submit/${name}`;
    await tell({ method: 'POST', path, body: String(new URLSearchParams(values)) });
    const signed = [...values, [field, decoded(value)], ['g-recaptcha-response', 'pretend-human']];
    await tell({ method: 'POST', path, body: String(new URLSearchParams(signed.filter(([one]) => one))) });
    await tell({ method: 'POST', path, body: 'email=nobody&website=x', accept: 'text/html' });
    const files = samples.filter(([, one]) => one.startsWith('data:')).map(([one]) => one);
    if (files.length > 0) {
      const part = (one: string, more: string, content: string) =>
        `--b\r\nContent-Disposition: form-data; name="${one}"${more}\r\n\r\n${content}\r\n`;
      const file = '; filename="sample.pdf"\r\nContent-Type: application/pdf';
      const parts = [
        ...values.map(([one = '', content = '']) => part(one, '', content)),
        ...files.map((one) => part(one, file, '%PDF-1.4\n%%EOF\n')),
      ];
      await tell({
        ...{ method: 'POST', path, type: 'multipart/form-data; boundary=b' },
        body: `${parts.join('')}--b--\r\n`,
      });
    }
  }
  return told.map(alike);
}

/** Where they first differ, with what stands around it. */
function difference(there: readonly string[], here: readonly string[]): object | undefined {
  const at = here.findIndex((one, index) => there[index] !== one);
  if (at < 0) return there.length === here.length ? undefined : { there: there.slice(here.length) };
  const [one = '', other = ''] = [there[at], here[at]];
  const from = [...one].findIndex((_, index) => one[index] !== other[index]);
  const around = (text: string) => text.slice(Math.max(0, from - 150), from + 150);
  return { of: other.split('\n', 1)[0], there: around(one), here: around(other) };
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const cases = readdirSync(new URL('../config-cases/', import.meta.url));

/** A text for each key that needs some of Node's modules of its own. */
const more = `
forms:
  newsletter:
    fields: [{name: email, type: email, required: true}, {name: code, pattern: "([a-z]+)+\\\\d", value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}]
    receipt: true
    double_opt_in: {field: email, through: {type: smtp, host: smtp.example.com, from: a@example.com}}
    outputs:
      - {type: webhook, url: "https://hooks.example.com/", sign: '{{ env "SECRET" }}'}
      - {type: ses, to: office@example.com, subject: "Grüße von {{ .fields.email }} \\U0001F600", mapping: "*"}
      - {type: s3, bucket: archive}
`;

const configs: Readonly<Record<string, string>> = {
  ...Object.fromEntries(recipes.map(({ name, config }) => [`recipe ${name}`, config])),
  more,
  studio: read('examples/studio/webform.yaml'),
  spam: read('examples/spam-protection/webform.yaml'),
  ...Object.fromEntries(
    cases
      // `npm run fuzz` tries them all.
      .filter((_, index) => isFuzzing || index % 12 === 0)
      .map((name) => [name, read(`test/config-cases/${name}`).split('----------\n', 1)[0] ?? ''] as const)
      // Try it has a stand-in for PDFs.
      .filter(([, config]) => !/\bpdf: /.test(config)),
  ),
};

describeInBrowser('Try it and the relay in Node', () => {
  test('say the same of each config, show the same forms, and would send the same bytes', {
    timeout: 500_000,
  }, async () => {
    const { page } = await openTryIt('', { prelude });
    const [worker] = page.workers();
    if (!worker) throw new Error('the page has no worker');
    const there = await inWorker(worker);
    const here = await inNode();
    let answers = 0;
    const differences: object[] = [];
    for (const [name, config] of Object.entries(configs)) {
      const same = await everything(here, config);
      const found = difference(await everything(there, config), same);
      if (found) differences.push({ name, ...found });
      answers += same.length;
    }
    expect([...new Set(complaintsOf(page))]).toEqual([]);
    expect(differences).toEqual([]);
    expect(answers).toBeGreaterThan(400);
  });
});
