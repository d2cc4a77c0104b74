/** Everything that a released version stored is understood by this one, or told (docs/upgrading.md). */
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FAILSAFE_SCHEMA, load, nullCoreTag } from 'js-yaml';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ok } from '../../packages/base/src/result.ts';
import { openTerminal } from '../../packages/cli/test/terminal.ts';
import type { ParseResult } from '../../packages/config/src/parse.ts';
import { readModelFile } from '../../packages/learning/src/train.ts';
import { publicKeys, readReceipt } from '../../packages/senders/src/receipt/code.ts';
import { readToken } from '../../packages/spam/src/form_token.ts';
import { seedsOf } from '../../packages/spam/src/lists/features.ts';
import { logOdds } from '../../packages/spam/src/lists/model.ts';
import { readVerdicts } from '../../packages/stored/src/marks/verdicts.ts';
import { foreignIn } from '../../packages/stores/src/entry.ts';
import { readMessage, readSubject } from '../../packages/stores/src/nats/stream_message.ts';
import { unknownEntry } from '../../packages/stores/src/queue_message.ts';
import { httpSink } from '../spec/stage.ts';
import { must } from '../support/must.ts';
import { parseWithFiles } from '../support/parse_config.ts';
import { tempFolder } from '../support/temp_folder.ts';
import { begin, filled } from './begin.ts';
import { shapeOf } from './shape.ts';
import { folderOf, keptFolders, type Messages, readAt, secrets, type Tokens, writtenAt } from './world.ts';

const folder = new URL('./', import.meta.url);
const versions = readdirSync(folder).filter((name) => statSync(new URL(name, folder)).isDirectory());
const day = 86_400_000;

/** With the names of today. */
const renamed = (shape: unknown): unknown =>
  JSON.parse(JSON.stringify(shape).replaceAll(': matrix', ': grid'));

/** Without what 0.2.0 removed. */
const ofNow = (config: string) =>
  config.replaceAll(/^(journal: .*|bounces:\n {2}smtp: .*)\n|, ?"?seal_to"?: ?\[[^\]]*\]/gm, '');

const textOnly = FAILSAFE_SCHEMA.withTags(nullCoreTag);

/** Without the keys that the errors call removed, as its owner leaves them out. */
async function withoutRemoved(
  config: string,
  parse: (config: string) => Promise<ParseResult>,
): Promise<string> {
  const parsed = await parse(config);
  const removed = parsed.ok ? [] : parsed.error.filter(({ code }) => code === 'key_removed');
  if (removed.length === 0) return config;
  const whole = load(config, { schema: textOnly });
  for (const { path } of removed) {
    // With the key goes a map that held nothing else.
    for (let keys = path.split(/[.[\]]+/); keys.length > 0; keys = keys.slice(0, -1)) {
      const around = keys.slice(0, -1).reduce((map, key) => map[key] as Tree, whole as Tree);
      delete around[keys.at(-1) ?? ''];
      if (Object.keys(around).length > 0) break;
    }
  }
  return JSON.stringify(whole);
}

type Tree = { [key: string]: unknown };

describe.each(versions)('version %s', (version) => {
  const here = folderOf(version);
  const read = (name: string) => readFileSync(join(here, name), 'utf8');
  const tokens: Tokens = JSON.parse(read('tokens.json'));
  const messages: Messages = JSON.parse(read('messages.json'));
  const configs: Record<string, { config: string; shape: unknown }> = JSON.parse(read('configs.json'));

  /** Further siblings are a model, and lists without entries. */
  const parse = (config: string) =>
    parseWithFiles(config, 'webform.yaml', async (path) =>
      ok(path.endsWith('.model') ? read('spam.model') : ''),
    );

  /** A copy of the fixture, and a relay on it whose deliveries arrive. */
  async function upgraded({ keep = 'kept_secret', now = readAt, env = {} } = {}) {
    const copy = tempFolder();
    cpSync(here, copy, { recursive: true });
    // As stores have it, which git does not keep.
    for (const name of keptFolders) {
      mkdirSync(join(copy, name), { recursive: true });
      chmodSync(join(copy, name), 0o700);
    }
    const sink = await httpSink();
    const config = filled(ofNow(read('webform.yaml')).replace('$KEEP', `{in: $HERE/${keep}, for: 3650d}`), {
      HERE: copy,
      SINK: sink.origin,
      SMTP: '9',
    });
    const relay = await begin({ config, now: () => now, env });
    onTestFinished(relay.close);
    const delivered = () =>
      sink.requests.map(({ url, body }) => ({ url, ...Object.fromEntries(new URLSearchParams(body)) }));
    const course = (values: Record<string, string>) =>
      relay.submit('course', Object.entries(values), { accept: 'application/problem+json' });
    return { ...relay, relay, copy, config, sink, delivered, course };
  }

  test('configs with every key load and mean the same, but for what was removed', async () => {
    const now = new Map<string, unknown>();
    for (const [name, { config }] of Object.entries(configs)) {
      const parsed = await parse(await withoutRemoved(config, parse));
      now.set(name, parsed.ok ? shapeOf(parsed.value) : parsed.error);
    }
    expect(Object.fromEntries(now)).toEqual(
      Object.fromEntries(Object.entries(configs).map(([name, { shape }]) => [name, renamed(shape)])),
    );
  });

  test('a built config of 0.1.0 is one, by its YAML', async () => {
    const built = ofNow(read('built.yaml'));
    const world = must(await parse(built));
    expect([...world.forms.keys()]).toEqual([
      'contact',
      'sealed',
      'owed',
      'news',
      'apply',
      'orders',
      'course',
    ]);
  });

  test('an archive is listed and shown, with its files, and what is sealed with its key', async () => {
    const { copy } = await upgraded();
    const { identity } = tokens;
    const terminal = await openTerminal({ files: { 'key.txt': identity ?? '' } });
    const list = async (name: string, more = '') => {
      const { stdout } = await terminal.run(
        `relay archive export --from ${join(copy, name)} --format jsonl ${more}`,
      );
      return stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    };
    expect(await list('archive')).toMatchObject([{}, {}]);
    expect(JSON.stringify(await list('archive'))).toContain('Ada “Löve”\\r\\nlace');
    expect(JSON.stringify(await list('archive'))).toContain('cv.txt');
    if (identity !== undefined)
      expect(JSON.stringify(await list('sealed', '--identity key.txt'))).toContain('Ada');
  });

  test('a delivery that it kept is told, and stays as it is', async () => {
    const { relay, copy, delivered, get } = await upgraded({ keep: 'kept_clear', now: writtenAt + day });
    const stored = () =>
      readdirSync(join(copy, 'kept_clear/due'), { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile())
        .map((one) => readFileSync(join(one.parentPath, one.name), 'latin1'));
    const before = stored();
    expect(before).toHaveLength(1);
    await get('/readyz');
    const reason = expect.stringContaining('an earlier relay wrote it');
    await vi.waitFor(
      () =>
        expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'keep_unavailable', reason })),
      { timeout: 20_000 },
    );
    expect(delivered()).toEqual([]);
    expect(stored()).toEqual(before);
  });

  test('messages that it sent to queues are told', () => {
    const entries = [
      ...messages.sqs.map((body) => unknownEntry('id', body, 0)),
      ...messages.nats.map(({ subject, data }, seq) => {
        expect(readSubject(subject)?.form).toBe('owed');
        return readMessage(subject, seq, Buffer.from(data, 'base64')).kept;
      }),
    ];
    expect(new Set(entries.map(foreignIn))).toEqual(new Set(['store_older']));
  });

  test('an earlier count is told, and stays as it is: nobody knows what is left', async () => {
    const { relay, course, copy, delivered } = await upgraded();
    const before = readFileSync(join(copy, 'counted/counted/places/course/000000000005'));
    expect((await course({ name: 'Edith', email: 'edith@visitor.example' })).status).toBe(503);
    expect(delivered()).toEqual([]);
    const reason = expect.stringContaining('an earlier relay counted in');
    expect(relay.logged).toContainEqual(expect.objectContaining({ outcome: 'uncounted', reason }));
    expect(readFileSync(join(copy, 'counted/counted/places/course/000000000005'))).toEqual(before);
  });

  test('links that were sent work: to confirm, and with values filled in', async () => {
    const { get, post, delivered } = await upgraded();
    const html = { accept: 'text/html' };
    const confirm = new URL(tokens.confirm, 'https://forms.acme.example');
    expect((await get(confirm.pathname + confirm.search, html)).status).toBe(200);
    const clicked = await post(confirm.pathname, { t: confirm.searchParams.get('t') ?? '' }, html);
    expect(clicked.status).toBeLessThan(400);
    expect(delivered()).toEqual([{ url: '/news', email: 'ada@visitor.example' }]);
    const course = await get(`/api/v1/form/course?as=page&fill=${tokens.prefill}`, html);
    expect(course.text).toContain('value="Ada"');
  });

  test('the token of an open page is its time, and a receipt proves what it proved', () => {
    expect(readToken(secrets.FORM_TOKEN_SECRET, 'contact', tokens.formToken)).toMatchObject({
      issuedAt: writtenAt,
    });
    const receipt = readReceipt(tokens.receipt, publicKeys([secrets.RECEIPT_SECRET]));
    expect(receipt).toMatchObject({ form: 'contact', at: writtenAt });
  });

  test('every mark is one', () => {
    const foreign: number[] = [];
    const marks = readVerdicts(read('archive.verdicts.jsonl'), (line) => foreign.push(line));
    expect([...marks.values()].map(({ verdict, at }) => [verdict, at])).toEqual([['spam', writtenAt]]);
    expect(foreign).toEqual([]);
  });

  test('a learned model has the key and weighs words', async () => {
    const seeds = seedsOf(secrets.SPAM_MODEL_KEY);
    const model = await readModelFile(join(here, 'spam.model'));
    expect(model?.check).toBe(seeds.check);
    if (!model) return;
    const [spam = 0, ham = 0] = read('spoken.txt')
      .split('\n')
      .map((text) => logOdds(model, [text], seeds));
    expect(spam).toBeGreaterThan(ham);
  });
});

test('every version with a date in the changelog has fixtures', () => {
  const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
  const released = [...changelog.matchAll(/^## (\S+) - \d{4}-/gm)].map(([, version]) => version);
  expect(versions).toEqual(expect.arrayContaining(released));
});
