/** What outputs that write into chats share: what is said there, and what the answer of a chat means. */

import * as v from 'valibot';
import { failed } from '../base/client_error.ts';
import type { Job } from '../base/job.ts';
import type { Schema } from '../schema/any_schema.ts';
import { wrong } from '../schema/issue.ts';
import { optional } from '../schema/keys.ts';
import { template } from '../schema/kinds.ts';
import type { Scope, Template } from '../schema/template/render.ts';
import type { AnyAnswer, HttpMessage } from '../transports/http/http_message.ts';
import { serviceCode, valueAt } from '../transports/http/service_code.ts';
import { parseJson } from '../transports/parse_json.ts';
import { retryOf } from '../transports/retry_after.ts';
import { type ChatText, type Entry, fitted, type Limits } from './chat_text.ts';
import { filledIn } from './filled_in.ts';
import type { CommonOutput, FormAbout } from './output.ts';
import { plain, plainLine } from './plain_text.ts';

/** The keys that all chats have. */
export const chatKeys = {
  title: optional(
    'The first line of the message. Default: the title of the form, or else its name.',
    template(),
  ),
};

/** Where in a service it goes: nothing that visitors write may choose it. */
export const room = (): Schema<Template> =>
  v.pipe(
    template(),
    v.check(({ content }) => content !== '', wrong('text_empty')),
    v.check(({ isSubmitted }) => !isSubmitted, wrong('room_submitted')),
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
    ({ label, values }): Entry => ({ label: plainLine(label), value: plain(inOneText(values)) }),
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

function inOneText(words: readonly string[]): string {
  const [first = '', ...others] = words;
  if (others.length === 0) return first;
  return words.some((one) => /[,\r\n]/.test(one))
    ? words.map((one) => `- ${one}`).join('\n')
    : words.join(', ');
}

/** The request that says it. */
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

/** What stands at a key that cannot be empty. Throws a `ClientError` when it is. */
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

/** The address with this in its query. */
export function withQuery(url: URL, name: string, value: string): URL {
  const changed = new URL(url);
  changed.searchParams.set(name, value);
  return changed;
}

/** What stands below a server's address, which may have a path of its own. */
export const below = (server: URL, path: string): URL =>
  new URL(`${server.pathname.replace(/\/*$/, '/')}${path}`, server);

/** What a service means by its answers. */
interface Meaning {
  /** Whether an answer of success says that the message was taken. `json`: its body, if it is JSON. */
  readonly isTaken: (json: unknown, answer: AnyAnswer) => boolean;
  /** Where its JSON has the service's own code for what is wrong; by default, the whole answer is the code. */
  readonly codeAt?: string;
  /** The code itself, where it takes more to find it. */
  readonly code?: string | undefined;
  /** Codes with which another try may succeed. */
  readonly passing?: readonly string[];
  /** Where its JSON says how long to wait, and in which unit. */
  readonly wait?: { readonly at: string; readonly unitMs: number };
}

/** Throws a `ClientError` when a message was not taken. A chat that fails by itself is asked again, as RFC 9110 allows. */
export function chatVerdict(answer: AnyAnswer, meaning: Meaning): [] {
  const { isTaken, codeAt = '', passing = [], wait } = meaning;
  const { status, body, isElsewhere, isCut = false } = answer;
  const json = parseJson(body);
  if (status < 300 && isTaken(json, answer)) return [];
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
