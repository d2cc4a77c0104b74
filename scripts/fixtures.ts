/**
 * Writes what a version stores, so that later ones are tested on it: npm run fixtures -- 0.1.0
 * (test/upgrades/README.md). The files of a released version are never written again.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { ok } from '../packages/base/src/result.ts';
import { storeIn } from '../packages/cli/test/kept_store.ts';
import { learn } from '../packages/learning/src/learn.ts';
import { writeModelFile } from '../packages/learning/src/train.ts';
import { lessonsOf, messages } from '../packages/learning/test/messages.ts';
import { inspectConfig } from '../packages/runtimes/src/inspect.ts';
import { sealLink } from '../packages/senders/src/links/sealed_link.ts';
import { issueToken } from '../packages/spam/src/form_token.ts';
import { seedsOf } from '../packages/spam/src/lists/features.ts';
import { verdictLine } from '../packages/stored/src/marks/verdicts.ts';
import { subjectsOf, writeMessage } from '../packages/stores/src/nats/stream_message.ts';
import { writeEntry } from '../packages/stores/src/queue_message.ts';
import { blocksOf, papers } from '../test/docs/papers.ts';
import { wholes } from '../test/docs/wholes.ts';
import { startHttpSink } from '../test/support/http_sink.ts';
import { decodeMail } from '../test/support/mail.ts';
import { startSmtpSink } from '../test/support/smtp_sink.ts';
import { begin, filled, order } from '../test/upgrades/begin.ts';
import { shapeOf } from '../test/upgrades/shape.ts';
import {
  folderOf,
  keptFolders,
  type Messages,
  secrets,
  type Tokens,
  worldConfig,
  writtenAt,
} from '../test/upgrades/world.ts';

const [, , version = ''] = process.argv;
const { version: own } = JSON.parse(readFileSync('package.json', 'utf8'));
if (version !== own) throw new Error(`this is version ${own}: npm run fixtures -- ${own}`);
const configs = await sampleConfigs();
const here = folderOf(version);
rmSync(here, { recursive: true, force: true });
/** Only 0.1.0 sealed. */
const keptNow = keptFolders.filter((name) => name !== 'kept_sealed');
for (const folder of ['', 'archive', 'counted', ...keptNow])
  mkdirSync(join(here, folder), { recursive: true, mode: 0o700 });

const [sink, smtp] = [await startHttpSink({ answer: () => ({ status: sinkStatus }) }), await startSmtpSink()];
let sinkStatus = 200;
const place = { HERE: here.replace(/\/$/, ''), SINK: sink.origin, SMTP: String(smtp.port) };
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

writeFileSync(join(here, 'webform.yaml'), worldConfig('$KEEP'));
await submit();
await keep();
writeFileSync(join(here, 'messages.json'), json(await queued()));
await learnFrom();
writeFileSync(join(here, 'configs.json'), json(configs));
await Promise.all([sink.close(), smtp.close()]);
console.log(`${here}: ${readdirSync(here, { recursive: true }).length} files`);

/** Everything but deliveries that fail. */
async function submit(): Promise<void> {
  const config = filled(worldConfig(`{in: ${place.HERE}/kept_secret}`), place);
  const relay = await begin({ config, now: () => writtenAt });
  const form = (values: Record<string, string>) => new URLSearchParams(values);
  const send = async (id: string, body: FormData | URLSearchParams) => {
    const answer = await relay.request(`/api/v1/submit/${id}`, { method: 'POST', body });
    if (answer.status !== 200) throw new Error(`${id}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const answer = await send('contact', withFile({ name: 'Ada “Löve”\nlace', topics: 'boots' }));
  await send('contact', form({ name: 'Grace' }));
  await send('news', form({ email: 'ada@visitor.example' }));
  await send('news', form({ email: 'gone@visitor.example' }));
  const ordered = await order(relay, 'Ada');
  if (ordered.status !== 200) throw new Error(`orders: ${ordered.text}`);
  const until = writtenAt + 365 * 86_400_000;
  const prefill = { until, values: new Map([['name', ['Ada']]]), locked: ['name'] };
  const tokens: Tokens = {
    confirm: linkIn(/\/api\/v1\/confirm\/\S+/),
    prefill: sealLink(secrets.FORM_TOKEN_SECRET, 'course', prefill, 'fresh'),
    formToken: issueToken(secrets.FORM_TOKEN_SECRET, 'contact', { issuedAt: writtenAt, waitedMs: 0 }),
    receipt: (answer.json as { receipt: string }).receipt,
    answered: ordered.text,
  };
  await send('course', form({ name: 'Ada', email: 'ada@visitor.example', fill: tokens.prefill }));
  await send('course', form({ name: 'Grace', email: 'grace@visitor.example' }));
  await relay.close();
  writeFileSync(join(here, 'tokens.json'), json(tokens));
}

function withFile(values: Readonly<Record<string, string>>): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(values)) body.append(name, value);
  body.append('cv', new File(['My life, in short.'], 'cv.txt', { type: 'text/plain' }));
  return body;
}

function linkIn(pattern: RegExp): string {
  const texts = smtp.mails.map(({ raw }) => decodeMail(raw).text ?? '');
  const [found] = texts.flatMap((text) => pattern.exec(text)?.[0] ?? []);
  if (found === undefined) throw new Error(`no mail has a link like ${pattern}`);
  return found;
}

/** In a folder, in each way to encrypt it. */
async function keep(): Promise<void> {
  sinkStatus = 503;
  for (const name of keptNow) {
    const config = filled(worldConfig(`{in: ${place.HERE}/${name}}`), place);
    const relay = await begin({
      config,
      now: () => writtenAt,
      env: name === 'kept_secret' ? {} : { KEEP_SECRET: '' },
    });
    const body = withFile({ name: 'Ada' });
    const answer = await relay.request('/api/v1/submit/owed', { method: 'POST', body });
    if (answer.status !== 200) throw new Error(`owed: ${answer.text} ${JSON.stringify(relay.logged)}`);
    await relay.close();
  }
}

/** The same deliveries, as messages of queues. */
async function queued(): Promise<Messages> {
  const [sqs, nats]: [string[], { subject: string; data: string }[]] = [[], []];
  for (const name of keptNow) {
    const store = await storeIn(join(here, name));
    for await (const { kept, deadLetter } of store.list()) {
      const mark = { dueAt: writtenAt, deadLetter };
      sqs.push(writeEntry({ kept, object: undefined, ...mark }));
      const subject = subjectsOf('relay').entry('due', kept);
      const message = Buffer.from(writeMessage(kept, { ...mark, parts: undefined }));
      nats.push({ subject, data: message.toString('base64') });
    }
    await store.close();
  }
  if (sqs.length !== keptNow.length) throw new Error(`${sqs.length} deliveries were kept`);
  return { sqs, nats };
}

async function learnFrom(): Promise<void> {
  const line = verdictLine('7d0f6d0e-3c1a-4a53-9c0e-5b8f2f0c9a11', 'spam', writtenAt);
  writeFileSync(join(here, 'archive.verdicts.jsonl'), line);
  const seeds = seedsOf(secrets.SPAM_MODEL_KEY);
  const marked = messages(300, 0.02);
  const { lessons } = lessonsOf(marked, seeds);
  const { model } = learn({ learnFrom: { lessons } as never, seeds, inUse: undefined, now: writtenAt });
  await writeModelFile(join(here, 'spam.model'), model());
  const [spam, ham] = [true, false].map((isSpam) =>
    marked.find((one) => one.isSpam === isSpam)?.texts.join(' '),
  );
  writeFileSync(join(here, 'spoken.txt'), `${spam}\n${ham}\n`);
}

/** Samples of the manual: as few as have all of its keys. Throws if there are keys that none has. */
async function sampleConfigs(): Promise<Record<string, unknown>> {
  const more = readFileSync('test/upgrades/more_keys.yaml', 'utf8');
  const texts = papers
    .flatMap(blocksOf)
    .filter(({ language, kind }) => language === 'yaml' && kind in wholes)
    .map(({ paper, line, kind, text }) => ({ name: `${paper}:${line}`, text: wholes[kind]?.(text) ?? '' }))
    .concat({ name: 'test/upgrades/more_keys.yaml', text: more });
  const model = readFileSync('test/upgrades/0.1.0/spam.model', 'utf8');
  const readSibling = async (path: string) => ok(path.endsWith('.model') ? model : '');
  const samples = await Promise.all(
    texts.map(async (one) => ({
      ...one,
      parsed: await inspectConfig(one.text, { name: 'webform.yaml', readSibling }),
      keys: keysIn(load(one.text)),
    })),
  );
  const seen = new Set<string>();
  const configs: Record<string, unknown> = {};
  for (const { name, text, keys, parsed } of samples.toSorted((a, b) => b.keys.size - a.keys.size)) {
    if ([...keys].every((key) => seen.has(key)) || !parsed.ok) continue;
    for (const key of keys) seen.add(key);
    configs[name] = { config: text, shape: shapeOf(parsed.value) };
  }
  const used = new Set([...seen].map((key) => key.split(' ').at(-1)));
  const schema = JSON.parse(readFileSync('docs/webform.schema.json', 'utf8'));
  // `plugins` names modules of a site.
  const unused = new Set(propertiesIn(schema).filter((name) => !used.has(name) && name !== 'plugins'));
  if (unused.size > 0)
    throw new Error(`add these keys to test/upgrades/more_keys.yaml: ${[...unused].join(', ')}`);
  return configs;
}

/** Each key with the one above it, and each `type`. */
function keysIn(value: unknown, above = ''): Set<string> {
  const found = new Set<string>();
  if (Array.isArray(value)) for (const one of value) for (const key of keysIn(one, above)) found.add(key);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, below] of Object.entries(value)) {
      found.add(key === 'type' ? `${above} type=${below} type` : `${above} ${key}`);
      for (const one of keysIn(below, key)) found.add(one);
    }
  }
  return found;
}

function propertiesIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(propertiesIn);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, below]) =>
    key === 'properties'
      ? [...Object.keys(below as object), ...Object.values(below as object).flatMap(propertiesIn)]
      : propertiesIn(below),
  );
}
