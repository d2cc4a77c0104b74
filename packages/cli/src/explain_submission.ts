import { basename } from 'node:path';
import { buffer as readAll } from 'node:stream/consumers';
import { type Form, pageFields, type RelayRequest } from '@form-relay/relay/base';
import type { Config, ConfigCache } from '@form-relay/relay/config';
import { confirmLink, createDryRun, humanToken } from '@form-relay/relay/dry_run';
import {
  page as asksForPage,
  behaviour,
  behaviourField,
  captcha,
  hardness,
  issueToken,
  learnedWords,
  minFill,
  origins,
  proof,
  solutionFor,
} from '@form-relay/relay/features';
import type { Story } from '@form-relay/relay/telling';
import { CommandFailed } from './command_failed.ts';
import { findForm, loadConfig, readBytes } from './load_config.ts';
import { makeRelay } from './make_relay.ts';
import { showStory } from './show_story.ts';
import type { GlobalOptions } from './usage.ts';

export interface ExplainOptions extends GlobalOptions {
  /** A file with the body as a browser or a script sends it; `-` for stdin. */
  readonly body?: string;
  /** `field=path`, in the order given. */
  readonly file?: readonly string[];
  /** The address of the page that it comes from. */
  readonly page?: string;
  readonly json?: boolean;
}

/**
 * Tells what a submission would lead to: the checks, the payloads and the bytes that each output would send. Nothing is
 * sent. Exit code 0 when it would be delivered, 1 otherwise.
 */
export async function explainSubmission(
  name: string,
  pairs: readonly string[],
  { body, file = [], page, json = false, config: configOption }: ExplainOptions,
): Promise<void> {
  const config = await loadConfig(configOption);
  const form = findForm(config, name);
  if (page !== undefined && !asksForPage.of(form)) {
    throw new CommandFailed(`"${name}" does not ask for its page; write page: true beside its fields`);
  }
  const stories: Story[] = [];
  // All at one moment: a busy machine must not change how long the form took to fill in.
  const now = Date.now();
  const { effects, settings } = makeRelay({ effects: { log: () => {}, now: () => now } });
  const dryRun = createDryRun({
    settings,
    effects,
    config: constant(config),
    onStory: (story) => stories.push(story),
    onSequel: (story) => stories.splice(-1, 1, story),
  });
  const filled = () => filledIn(withPage(pairs, page), form, dryRun.settings.formTokenSecret, now);
  let sent: Body;
  if (body !== undefined) sent = await readBody(body);
  else if (file.length > 0) sent = await withFiles(filled(), file);
  else sent = { type: urlencoded, body: Buffer.from(filled().toString()) };
  await dryRun.handle({
    method: 'POST',
    path: `/api/v1/submit/${encodeURIComponent(name)}`,
    query: '',
    headers: { ...browserHeaders(form, page ?? dryRun.settings.publicUrl), 'content-type': sent.type },
    body: sent.body,
    // An address of no machine (RFC 5737): a visitor without a history.
    peerAddress: '192.0.2.1',
  });
  const [story] = stories;
  if (!story) throw new Error('the submission has no story');
  const link = confirmLink(story);
  if (link !== undefined) await dryRun.handle(clickOn(link));
  await dryRun.kept.tryDue();
  const [told = story, confirmed] = stories;
  // Not in the story itself, whose findings a log has, too.
  const isLike = told.checks.some(({ signals }) => signals?.some(({ signal }) => signal === 'learned'));
  const words = isLike ? learnedWords(form, new Map(told.values), effects) : undefined;
  const all = { ...told, ...(words && { words }), ...(confirmed && { confirmed }) };
  process.stdout.write(
    json ? `${JSON.stringify(all, null, 2)}\n` : showStory(all, process.stdout, confirmed),
  );
  if ((confirmed ?? told).outcome !== 'delivered') process.exitCode = 1;
}

/** As the page sends it on to which the link leads. */
function clickOn(link: string): RelayRequest {
  const [path = '', query = ''] = link.split('?');
  return {
    method: 'POST',
    path,
    query: '',
    headers: { 'content-type': urlencoded },
    body: Buffer.from(query),
  };
}

/** The headers that browsers send and signals check, with the page if the form asks for it. */
const browserHeaders = (form: Form, page = ''): Readonly<Record<string, string>> => ({
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  accept: '*/*',
  'accept-language': form.language,
  'accept-encoding': 'gzip, deflate, br',
  ...(origins.of(form) && { origin: new URL(page).origin }),
});

const urlencoded = 'application/x-www-form-urlencoded';

const withPage = (pairs: readonly string[], page: string | undefined) =>
  page === undefined ? pairs : [...pairs, `${pageFields.url}=${page}`];

const constant = (config: Config): ConfigCache => ({
  sourceName: 'the config',
  current: config,
  state: 'fresh',
  get: () => config,
});

interface Body {
  readonly type: string;
  readonly body: Uint8Array;
}

/** The counts of the form's script for a person who fills in a short form. */
const humanBehaviour = 'v1;k=64;p=0;f=3;t=21000;m=1;c=0';

/** Adds the values that a visitor's browser adds: a min-fill token old enough, a solved puzzle, and a solved captcha. */
function filledIn(pairs: readonly string[], form: Form, secret: string, now: number): URLSearchParams {
  const values = new URLSearchParams(pairs.map(parted));
  const timed = minFill.of(form);
  if (timed && !values.has(timed.tokenField)) {
    const issuedAt = now - timed.minFillMs;
    values.set(timed.tokenField, issueToken(secret, form.id, { issuedAt, waitedMs: 0 }));
  }
  const proven = proof.of(form);
  if (proven && proven.when !== 'asked' && !values.has(proven.field)) {
    const puzzle = { nonce: 'explain', expiresAt: now + proven.ttlMs, most: hardness.usual };
    values.set(proven.field, solutionFor(secret, form.id, puzzle));
  }
  if (behaviour.of(form) && !values.has(behaviourField)) values.set(behaviourField, humanBehaviour);
  const solved = captcha.of(form);
  if (solved && !solved.onlyInDoubt && !values.has(solved.tokenField))
    values.set(solved.tokenField, humanToken);
  return values;
}

async function withFiles(values: URLSearchParams, files: readonly string[]): Promise<Body> {
  const all = new FormData();
  for (const [name, value] of values) all.append(name, value);
  for (const [name, path] of files.map(parted)) {
    all.append(name, new File([Uint8Array.from(await readBytes(path))], basename(path)));
  }
  const encoded = new Response(all);
  return {
    type: encoded.headers.get('content-type') ?? '',
    body: new Uint8Array(await encoded.arrayBuffer()),
  };
}

/** `name=value`. */
function parted(pair: string): [name: string, value: string] {
  const equals = pair.indexOf('=');
  return [pair.slice(0, equals), pair.slice(equals + 1)];
}

async function readBody(path: string): Promise<Body> {
  const bytes = path === '-' ? await readAll(process.stdin) : await readBytes(path);
  // Editors end a file with a line break; no body ends with one. What is not UTF-8 is the relay's to refuse (D3).
  const text = bytes.toString('latin1').replace(/\r?\n$/, '');
  // Browsers encode braces and brackets. What is JSON, but no object, is the relay's to refuse.
  const isJson = /^\s*[{[]/.test(text);
  return { type: isJson ? 'application/json' : urlencoded, body: Buffer.from(text, 'latin1') };
}
