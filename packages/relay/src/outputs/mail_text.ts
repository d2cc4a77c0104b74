import type { Mail } from '../base/effects.ts';
import type { Job, Payload } from '../base/job.ts';
import { late } from '../base/late.ts';
import type { Values } from '../base/values.ts';
import type { Field } from '../fields/field.ts';
import { asWords } from '../fields/stored_value.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { optional, withDefault } from '../schema/keys.ts';
import { flag } from '../schema/kinds.ts';
import type { Scope } from '../schema/template/render.ts';
import { filledIn, readable } from './filled_in.ts';
import type { MailBody, RenderedMail } from './html_mail.ts';
import { type LinkedTemplate, linkedTemplate, plainRuns, renderRuns } from './linked_template.ts';
import type { CommonOutput, FormAbout } from './output.ts';
import type { PayloadPlan } from './payload.ts';

export const wordsKeys = {
  text: optional(
    'What the mail says, as a template of one or several lines, instead of a line `key=value` for each value. It may hold links: `[words](https://…)`.',
    linkedTemplate(),
  ),
  html: withDefault(
    'false',
    'Sends the mail as HTML, with the same as text beside it: the form’s title, and each field’s label and value in the form’s order, or else `text`.',
    flag(),
  ),
  intro: optional('What stands above the fields of an HTML mail. As `text`.', linkedTemplate()),
  footer: optional('What stands below them. As `text`.', linkedTemplate()),
};

export interface Wording {
  readonly text?: LinkedTemplate | undefined;
  readonly html: boolean;
  readonly intro?: LinkedTemplate | undefined;
  readonly footer?: LinkedTemplate | undefined;
}

interface Configured extends Wording, Pick<CommonOutput, 'mapping' | 'static'> {
  readonly form: FormAbout;
  readonly plan?: readonly PayloadPlan[];
}

export const lateHtml = late(() => import('./html_mail.ts'), 'html');

/** `intro` and `footer` have no place in lines of `key=value`. */
export const wordsProblems = ({ html, intro, footer }: Partial<Wording>): readonly Finding[] =>
  html !== false
    ? []
    : Object.entries({ intro, footer })
        .filter(([, words]) => words !== undefined)
        .map(([key]) => ({ ...finding('mail_words_without_html', [key], { key }), aboutKey: true }));

export function wordsOf(
  output: Configured,
  job: Job,
  scope: Scope,
): Pick<Mail, 'text' | 'html' | 'htmlStart'> {
  const { text, html, intro, footer, form } = output;
  /** Where it stands, it must not be taken for something that the visitor wrote. */
  const failure = job.pdf === 'failed' ? (form.paper?.failedWords ?? '') : '';
  const seen = text || intro || footer ? withLinesOfFields(scope, form.fields) : scope;
  if (!html) {
    const words = text
      ? ended(readable(plainRuns(renderRuns(text, seen))))
      : keyValueLines(payloadInWords(output, job.payload));
    return { text: failure ? `${words}\n${failure}\n` : words };
  }
  const body: MailBody = {
    language: form.language,
    direction: form.direction,
    title: form.title ?? form.id,
    intro: [
      ...(intro ? renderRuns(intro, seen) : []),
      ...(intro && text ? ['\n\n'] : []),
      ...(text ? renderRuns(text, seen) : []),
    ],
    entries: text ? [] : filledIn(output, job, scope),
    page: job.page && { label: form.pageLabel, url: job.page.url, isLink: job.page.isOnOwnSite },
    footer: [...(footer ? renderRuns(footer, seen) : []), ...(failure ? ['\n\n', failure] : [])],
  };
  return inBoth(body);
}

export function inBoth(body: MailBody): RenderedMail {
  const html = lateHtml.value;
  if (!html) throw new Error('the HTML of mails is not loaded');
  return html.renderMail(body);
}

const ended = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

/**
 * One `key=value` line per value, sorted by key (SPEC: Multi-value serialization). Further lines of a value are
 * indented by a tab, so that no visitor can write a line that looks like another field's.
 */
function keyValueLines(payload: Payload): string {
  let text = '';
  for (const [key, values] of payload) {
    for (const value of values) text += `${key}=${value.replaceAll(lineBreak, '\n\t')}\n`;
  }
  return text;
}

/** With words for the fields of parts, whose values are JSON. */
function payloadInWords({ form, plan = [] }: Configured, payload: Payload): Payload {
  const structures = form.fields.filter(({ parts }) => parts);
  if (structures.length === 0) return payload;
  return payload.map(([key, values]) => {
    const name = plan.find((one) => one.key === key)?.fieldName;
    const field = structures.find((one) => one.name === name);
    return [key, field ? asWords(field, values) : values] as const;
  });
}

const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;

/** Controls that take more than one line. */
const takesLines = ['textarea', 'hidden'];

/**
 * The values for a template of several lines: a browser sends no line break from a field of one line, and one that somebody else
 * sends would begin a line that looks like the owner's.
 */
export const withLinesOfFields = (scope: Scope, fields: readonly Field[]): Scope =>
  new ScopeInLines(scope, fields);

/** Most templates above and below the fields of a mail read none of them, so nothing is worked out before it is read. */
class ScopeInLines implements Scope {
  readonly #scope: Scope;
  readonly #fields: readonly Field[];
  #values: Values | undefined;

  constructor(scope: Scope, fields: readonly Field[]) {
    this.#scope = scope;
    this.#fields = fields;
  }

  get fields(): Values {
    this.#values ??= new Map(
      [...this.#scope.fields].map(([name, values]) => [
        name,
        this.#isShort(name) ? values.map(inOneLine) : values,
      ]),
    );
    return this.#values;
  }

  labels(name: string): string {
    const words = this.#scope.labels?.(name) ?? this.#scope.fields.get(name)?.join(', ') ?? '';
    return this.#isShort(name) ? inOneLine(words) : words;
  }

  get formId() {
    return this.#scope.formId;
  }

  get submittedAt() {
    return this.#scope.submittedAt;
  }

  get page() {
    return this.#scope.page;
  }

  env(name: string) {
    return this.#scope.env(name);
  }

  #isShort(name: string): boolean {
    return this.#fields.some(
      (field) => field.name === name && !field.parts && !takesLines.includes(field.type),
    );
  }
}

const inOneLine = (text: string) => text.replaceAll(/[\n\r\v\f\x85\u2028\u2029]+/g, ' ');
