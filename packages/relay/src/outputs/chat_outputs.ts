import * as v from 'valibot';
import { failed } from '../base/client_error.ts';
import type { Job } from '../base/job.ts';
import { labelled } from '../base/values.ts';
import type { Shape } from '../fields/field.ts';
import type { Schema } from '../schema/any_schema.ts';
import { wrong } from '../schema/issue.ts';
import { optional } from '../schema/keys.ts';
import { ownTemplate, template } from '../schema/kinds.ts';
import type { Scope, Template } from '../schema/template/render.ts';
import { parseJson, retryOf, serviceCode, valueAt } from '../transports/http/answer.ts';
import { type AnyAnswer, type HttpMessage, httpTarget } from '../transports/http/http_transport.ts';
import { filledIn, plain, plainLine } from './filled_in.ts';
import {
  type Addressed,
  addressJsonSchema,
  addressKeys,
  addressTarget,
  chatAddressProblems,
} from './http_outputs.ts';
import type { CommonOutput, FormAbout } from './output.ts';

/** Shared by outputs that write into chats: the message, and the meaning of the answer. */

export const chatKeys = {
  title: optional(
    'The first line of the message. Default: the title of the form, or else its name.',
    template(),
  ),
};

/** The room in a service. Visitors must not choose it. */
export const room = (): Schema<Template> =>
  v.pipe(
    ownTemplate('room_submitted'),
    v.check(({ content }) => content !== '', wrong('text_empty')),
  );

interface Configured extends Pick<CommonOutput, 'mapping' | 'static'> {
  readonly title?: Template | undefined;
  readonly form: FormAbout;
}

/**
 * A submission as a chat reads it: the form's title, a line for each field that has a value, `static`, and the address of
 * the page where that is known. All of it is plain text, cut to what the service takes.
 */
export function chatText(output: Configured, job: Job, scope: Scope, limits: Limits): ChatText {
  const { form, title } = output;
  const entries = filledIn(output, job, scope).map(
    ({ label, values, shape }): Entry => ({
      label: plainLine(label),
      value: plain(inOneText(values, shape)),
      isBlock: shape && true,
    }),
  );
  return fitted(
    {
      title: plainLine(title?.render(scope) ?? '') || plainLine(form.title ?? '') || form.id,
      isTitleSubmitted: title?.isSubmitted ?? false,
      entries: entries.filter(({ value }) => value !== ''),
      footer: job.page ? [plainLine(job.page.url)] : [],
    },
    limits,
  );
}

function inOneText(words: readonly string[], shape: Shape | undefined): string {
  const isLong = words.length > 1 && words.some((one) => /[,\r\n]/.test(one));
  return shape === 'list' || isLong ? words.map((one) => `- ${one}`).join('\n') : words.join(', ');
}

export const chatMessage = (
  { id, trace }: Job,
  { title, entries, footer }: ChatText,
  request: Pick<HttpMessage, 'url' | 'addressFrom' | 'addressInBody' | 'method' | 'headers'>,
  body: object,
): HttpMessage => ({
  via: 'http',
  ...request,
  id,
  trace,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
  accepts: 'any',
  says: { title, entries, footer },
});

/** The value of a key that must not be empty. Throws a `ClientError` if it is. */
export function filled(key: string, template: Template, scope: Scope): string {
  const rendered = template.render(scope).trim();
  if (rendered === '') throw failed('rendered_empty', { key });
  return rendered;
}

/** A token, of these characters alone. Throws a `ClientError` for anything else. */
export function tokenIn(token: Template, scope: Scope, characters = /^[!-~]+$/): string {
  const rendered = filled('token', token, scope);
  if (!characters.test(rendered)) throw failed('token_malformed', { key: 'token' });
  return rendered;
}

export const bearer = (token: Template, scope: Scope) => ({
  authorization: `Bearer ${tokenIn(token, scope)}`,
});

export function withQuery(url: URL, name: string, value: string): URL {
  const changed = new URL(url);
  changed.searchParams.set(name, value);
  return changed;
}

/** A path below the server's address, which may have a path of its own. */
export const below = (server: URL, path: string): URL =>
  new URL(`${server.pathname.replace(/\/*$/, '/')}${path}`, server);

interface Meaning {
  /** Whether an answer of success says that the message was taken. `json`: its body, if it is JSON. */
  readonly isTaken: (json: unknown, answer: AnyAnswer) => boolean;
  /** The JSON key of the service's own error code. Default: the whole answer is the code. */
  readonly codeAt?: string;
  readonly code?: string | undefined;
  readonly passing?: readonly string[];
  /** The JSON key of the time to wait, and its unit. */
  readonly wait?: { readonly at: string; readonly unitMs: number };
}

/** Throws a `ClientError` when a message was not taken. A chat that fails by itself is asked again, as RFC 9110 allows. */
export function chatVerdict(answer: AnyAnswer, meaning: Meaning): [] {
  const { isTaken, codeAt = '', passing = [], wait } = meaning;
  const { status, body, isElsewhere, isCut = false, unknownCoding: coding } = answer;
  const json = parseJson(body);
  if (status < 300 && isTaken(json, answer)) return [];
  if (status < 300 && coding !== undefined) throw failed('answer_coded', { coding });
  if (status < 300 && isCut) throw failed('answer_cut');
  const code = 'code' in meaning ? meaning.code : serviceCode(body, codeAt);
  const told = wait && valueAt(json, wait.at);
  const waitMs = answer.waitMs ?? (wait && typeof told === 'number' ? told * wait.unitMs : undefined);
  const isPassing = status >= 500 || (code !== undefined && passing.includes(code));
  const retry = isPassing ? { retryAfterMs: waitMs ?? 0 } : retryOf(status, waitMs);
  throw status < 400
    ? failed('service_refused', { code }, retry)
    : failed('http_status', { status, isElsewhere, code }, retry);
}

/** Plain text for chats, on lines that nobody can forge, cut to fit the service. */

export interface Entry {
  readonly label: string;
  readonly value: string;
  /** Whether the value stands below. Default: if it has several lines. */
  readonly isBlock?: boolean | undefined;
}

/** The contents of a chat message, as plain text. Each service escapes it. */
export interface ChatText {
  readonly title: string;
  readonly isTitleSubmitted: boolean;
  /** The fields and `static`. */
  readonly entries: readonly Entry[];
  /** Lines below. */
  readonly footer: readonly string[];
}

/** The service's limits; where it names none, what people read without tiring. */
export interface Limits {
  readonly title: number;
  readonly label: number;
  readonly value: number;
  readonly entries: number;
  readonly total: number;
  /** The size of an entry beside its texts. Default: 0. */
  readonly perEntry?: number;
  /**
   * The size of a text as the service counts it, which is the sum of its parts' sizes. Default: UTF-16 units, and as
   * many more as `lineOf` puts before a line.
   */
  readonly sizeOf?: SizeOf;
}

type SizeOf = (text: string) => number;

export const lineOf = ({ label, value, isBlock }: Entry): string => labelled(label, value, isBlock);

const unitsOf: SizeOf = (text) => text.length + 4 * (text.split('\n').length - 1);

/** The size of a text in JSON, in bytes. */
export const jsonBytes: SizeOf = (text) => Buffer.byteLength(JSON.stringify(text)) - 2;

/** Cuts what is too long, and leaves out what is too much, with a note. Of long values, all lose before any is lost. */
export function fitted(text: ChatText, limits: Limits): ChatText {
  const { sizeOf = unitsOf, perEntry = 0 } = limits;
  const below = text.footer.map((line) => cut(line, mostBelow, sizeOf));
  const title = cut(text.title, limits.title, sizeOf);
  const entries = text.entries
    .slice(0, limits.entries)
    .map((entry) => ({ ...entry, label: cut(entry.label, limits.label, sizeOf) }));
  const noteSize = perEntry + sizeOf(leftOut(text.entries.length));
  const room =
    limits.total - sizeOf(title) - below.reduce((sum, line) => sum + perEntry + sizeOf(line), noteSize);
  const needs = entries.map(
    ({ label, value }) => perEntry + sizeOf(label) + Math.min(sizeOf(value), leastKept),
  );
  let needed = needs.reduce((sum, one) => sum + one, 0);
  while (needed > room && entries.pop()) needed -= needs[entries.length] ?? 0;
  const labels = entries.reduce((sum, { label }) => sum + perEntry + sizeOf(label), 0);
  const share = fairShare(
    entries.map(({ value }) => sizeOf(value)),
    room - labels,
  );
  const missing = text.entries.length - entries.length;
  return {
    ...text,
    title,
    entries: entries.map((entry) => ({
      ...entry,
      value: cut(entry.value, Math.min(limits.value, share), sizeOf),
    })),
    footer: missing > 0 ? [leftOut(missing), ...below] : below,
  };
}

const mostBelow = 300;

/** Cut shorter, a value says nothing. */
const leastKept = 40;

const leftOut = (count: number) =>
  count === 1 ? '1 more field is left out' : `${count} more fields are left out`;

function fairShare(sizes: readonly number[], room: number): number {
  let left = room;
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (sizes.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** Read when something is to be cut: to know where characters end, it loads a table. */
let segmenter: Intl.Segmenter | undefined;

/**
 * The text, or its beginning and `…`. It ends between two characters as people see them. Where it ends is found by
 * halving: to measure a long text character by character would hold up everybody else.
 */
function cut(text: string, most: number, sizeOf: SizeOf): string {
  if (sizeOf(text) <= most) return text;
  const room = most - sizeOf('…');
  let fits = 0;
  let isTooMuch = text.length;
  while (isTooMuch - fits > 1) {
    const middle = Math.floor((fits + isTooMuch) / 2);
    // Half of a surrogate pair would cost more than all of it.
    if (sizeOf(text.slice(0, middle).replace(/[\ud800-\udbff]$/, '')) <= room) fits = middle;
    else isTooMuch = middle;
  }
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const end = segmenter.segment(text).containing(fits)?.index ?? 0;
  return `${text.slice(0, end).trimEnd()}…`;
}

/** Shared by chats that are written to through a webhook. */
export const webhookChat = {
  keys: { ...addressKeys, ...chatKeys },
  problems: chatAddressProblems,
  jsonSchema: addressJsonSchema,
  target: (output: Addressed) => httpTarget(addressTarget(output)),
  sendsOfItself: () => true,
};
