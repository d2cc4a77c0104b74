import { learnedWords } from '@form-relay/learning/learned_words';
import { type Form, pageFields, type RelayRequest } from '@form-relay/relay/base';
import type { Config, ConfigCache } from '@form-relay/relay/config';
import { confirmLink, createDryRun, humanToken } from '@form-relay/relay/dry_run';
import {
  captcha,
  hardness,
  issueToken,
  minFill,
  origins,
  proof,
  solutionFor,
} from '@form-relay/relay/features';
import type { RelayOptions } from '@form-relay/relay/serve';
import type { Story } from '@form-relay/relay/telling';
import { makeRelay } from './make_relay.ts';

type Pair = readonly [name: string, value: string];

export interface Body {
  readonly type: string;
  readonly body: Uint8Array;
}

export interface ChosenFile {
  readonly field: string;
  readonly name: string;
  /** Default: unknown, as of a file without an extension. */
  readonly type?: string;
  readonly bytes: Uint8Array;
}

/** A visitor's request: values and files with what a browser adds, or a whole body. */
export interface Submission {
  readonly pairs: readonly Pair[];
  readonly files?: readonly ChosenFile[];
  /** The address of the page that it comes from. */
  readonly page?: string | undefined;
  readonly body?: Body | undefined;
  /** The variable with the key of a server that sends it. Default: a browser sends it. */
  readonly key?: string | undefined;
}

export interface Told {
  readonly story: Story;
  /** The words that speak for or against it, if the form's signals have learned. */
  readonly words?: ReturnType<typeof learnedWords>;
  /** The story after the click on the link in its mail (double opt-in). */
  readonly confirmed?: Story;
}

/**
 * Tells where a submission would lead: the checks, the payloads and the bytes that each output would send. Nothing is sent.
 *
 * @param options The world that the dry run sees. Default: this process's own.
 */
export async function tellStory(
  config: Config,
  form: Form,
  { pairs, files = [], page, body, key }: Submission,
  options: RelayOptions = {},
): Promise<Told> {
  const stories: Story[] = [];
  // All at one moment: a busy machine must not change how long the form took to fill in.
  const now = Date.now();
  const relay = makeRelay({ ...options, effects: { ...options.effects, log: () => {}, now: () => now } });
  const { settings } = relay;
  // Nothing is sent, so the key itself is not needed.
  const env = (name: string) => (name === key ? madeUpKey : relay.effects.env(name));
  const effects = { ...relay.effects, env };
  try {
    const dryRun = createDryRun({
      settings,
      effects,
      config: constant(config),
      onStory: (story) => stories.push(story),
    });
    const filled = () =>
      key === undefined
        ? filledIn(withPage(pairs, page), form, dryRun.settings.formTokenSecret, now)
        : parameters(withPage(pairs, page));
    let sent: Body;
    if (body !== undefined) sent = body;
    else if (files.length > 0) sent = await withFiles(filled(), files);
    else sent = { type: urlencoded, body: Buffer.from(filled().toString()) };
    await dryRun.handle({
      method: 'POST',
      path: `/api/v1/submit/${encodeURIComponent(form.id)}`,
      query: '',
      headers: {
        ...(key === undefined
          ? browserHeaders(form, page ?? dryRun.settings.publicUrl)
          : { authorization: `Bearer ${madeUpKey}` }),
        'content-type': sent.type,
      },
      body: sent.body,
      // An address of no machine (RFC 5737): a visitor without a history.
      peerAddress: '192.0.2.1',
    });
    const [story] = stories;
    if (!story) throw new Error('the submission has no story');
    const link = confirmLink(story);
    if (link !== undefined) await dryRun.handle(clickOn(link));
    const [told = story, confirmed] = stories;
    // Not in the story itself, whose findings a log has, too.
    const isLike = told.checks.some(({ signals }) => signals?.some(({ signal }) => signal === 'learned'));
    const words = isLike ? learnedWords(form, new Map(told.values), effects) : undefined;
    return { story: told, ...(words && { words }), ...(confirmed && { confirmed }) };
  } finally {
    await relay.close();
  }
}

/** Made up for this run. */
const madeUpKey = 'frk_explain0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

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

export const urlencoded = 'application/x-www-form-urlencoded';

const withPage = (pairs: readonly Pair[], page: string | undefined): readonly Pair[] =>
  page === undefined ? pairs : [...pairs, [pageFields.url, page]];

const parameters = (pairs: readonly Pair[]) =>
  new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value]));

const constant = (config: Config): ConfigCache => ({
  sourceName: 'the config',
  current: config,
  state: 'fresh',
  get: () => config,
});

/** Adds the values that a visitor's browser adds: a min-fill token old enough, a solved puzzle, and a solved captcha. */
function filledIn(pairs: readonly Pair[], form: Form, secret: string, now: number): URLSearchParams {
  const values = parameters(pairs);
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
  const solved = captcha.of(form);
  if (solved && !solved.onlyInDoubt && !values.has(solved.tokenField))
    values.set(solved.tokenField, humanToken);
  return values;
}

async function withFiles(values: URLSearchParams, files: readonly ChosenFile[]): Promise<Body> {
  const all = new FormData();
  for (const [name, value] of values) all.append(name, value);
  for (const { field, name, bytes, type } of files) {
    all.append(field, new File([Uint8Array.from(bytes)], name, type === undefined ? {} : { type }));
  }
  const encoded = new Response(all);
  return {
    type: encoded.headers.get('content-type') ?? '',
    body: new Uint8Array(await encoded.arrayBuffer()),
  };
}
