import * as v from 'valibot';
import {
  addressOf,
  mailboxParts,
  parseAddress,
  parseMailbox,
  parseSubmittedAddress,
  submittedName,
} from '../base/address.ts';
import { failed } from '../base/client_error.ts';
import { doubtHeader } from '../base/doubt.ts';
import type { Mailbox } from '../base/effects.ts';
import type { DeliveryWarning } from '../base/event.ts';
import type { UploadedFile } from '../base/files.ts';
import type { Job } from '../base/job.ts';
import { late } from '../base/late.ts';
import type { Schema } from '../schema/any_schema.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { read, report, wrong } from '../schema/issue.ts';
import { lateSchema, optional, required, withDefault } from '../schema/keys.ts';
import { list, mapOf, name, template, text, textOrNothing } from '../schema/kinds.ts';
import { parseTemplates } from '../schema/template/parse.ts';
import type { Scope, Template } from '../schema/template/render.ts';
import type { MailContent } from '../transports/transport.ts';
import { type Wording, wordsKeys, wordsOf, wordsProblems } from './mail_text.ts';
import { nameBefore, recipientsIn } from './mailed_fields.ts';
import type { CommonOutput, FormAbout, PlacedName } from './output.ts';
import { pdfKey } from './pdf_outputs.ts';

/** For recipients, most would expect a list. */
function noText(issue: v.BaseIssue<unknown>): string {
  if (!Array.isArray(issue.input)) return wrong('not_text')(issue);
  const isPlain =
    issue.input.length > 0 && issue.input.every((one) => typeof one === 'string' && parseMailbox(one));
  return wrong('recipients_in_list', { joined: isPlain ? issue.input.join(', ') : undefined })(issue);
}

const recipientTemplates = (isOpenToVisitors: boolean) =>
  v.pipe(
    textOrNothing(noText),
    read(parseTemplates),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const parts = dataset.value;
      if (parts.length === 0) addIssue(report(finding('recipients_missing', [])));
      for (const [index, { content, source, isSubmitted, defaults }] of parts.entries()) {
        if (isSubmitted && !isOpenToVisitors) addIssue(report(finding('recipient_submitted', [])));
        if (isSubmitted && [...defaults].some((text) => text.includes(',')))
          addIssue(report(finding('recipient_default_with_comma', [])));
        if (isSubmitted && /\{\{[^}]*\bjoin\b/.test(source))
          addIssue(report(finding('recipient_joined', [])));
        if (typeof content === 'string' && !parseMailbox(content)) {
          const isFirstOfName = !source.includes('@') && parts[index + 1]?.source.includes('<') === true;
          addIssue(report(finding('recipient_malformed', [], { source, isFirstOfName })));
        }
      }
    }),
    v.metadata({
      jsonSchema: { title: isOpenToVisitors ? 'template' : 'template without fields', type: 'string' },
    }),
  );

const ownMailbox = (): Schema<Mailbox> =>
  v.pipe(
    text(),
    v.check((from) => parseMailbox(from) !== undefined, wrong('not_a_mailbox')),
    v.transform((from) => parseMailbox(from) ?? from),
  );

const everyFile = v.literal('*', wrong('not_attachments'));
const chosenFiles = list(name());

const attachedFields = v.pipe(
  v.lazy(
    (input): v.GenericSchema<unknown, '*' | readonly string[]> =>
      Array.isArray(input) ? chosenFiles : everyFile,
  ),
  v.metadata({
    jsonSchema: {
      title: 'list of fields, or `"*"`',
      anyOf: [{ const: '*' }, { type: 'array', items: { type: ['string', 'number'] } }],
    },
  }),
);

export const mailKeys = {
  to: required(
    'The recipients, separated by commas, each with or without a name: `Office <office@example.com>`. A part that holds a submitted value must be exactly one address; a part whose environment variable is not set fails the delivery.',
    recipientTemplates(true),
  ),
  cc: optional(
    'Who gets a copy, as in `to`, but no address that a visitor wrote.',
    recipientTemplates(false),
  ),
  bcc: optional('Who gets a copy that nobody else learns of. Otherwise as `cc`.', recipientTemplates(false)),
  subject: withDefault(
    'Form submission: {{ .form.id }}',
    'The subject. One that renders empty is the default.',
    template(),
  ),
  reply_to: optional(
    'The `Reply-To` address: exactly one, usually `{{ .fields.email }}`, whose value must then be an address. Otherwise left out when it is not an address.',
    v.pipe(
      template(),
      v.check(
        ({ content }) => typeof content !== 'string' || content === '' || parseMailbox(content) !== undefined,
        wrong('not_a_mailbox_or_template'),
      ),
      v.metadata({ jsonSchema: { title: 'template', type: ['string', 'null'] } }),
    ),
  ),
  reply_to_name: optional('The name before the `Reply-To` address, often `{{ .fields.name }}`.', template()),
  headers: optional(
    'Headers of your own, such as `X-Priority`. Those that the mail needs itself cannot be among them.',
    mapOf(template(), mailHeaderProblem),
  ),
  ...wordsKeys,
  attachments: withDefault(
    '*',
    'The files that come with the mail: `"*"` for those of every file field, or a list of file fields; `[]` for none.',
    attachedFields,
  ),
  ...pdfKey,
};

/** `from` is a key of each type, since each has another default. */
export const fromKey = (summary: string) => optional(summary, ownMailbox());

/** Headers that the mail or its carrier sets. */
const mailsOwn =
  /^(from|sender|to|cc|bcc|reply-to|subject|date|message-id|in-reply-to|references|mime-version|content-.*|auto-submitted|return-path|received|dkim-signature|arc-.*|authentication-results|resent-.*|apparently-to|delivered-to|disposition-notification-to|return-receipt-to|errors-to)$/i;

function mailHeaderProblem(name: string) {
  // RFC 5322, 3.6.8; a longer one leaves no room on its line.
  if (!/^[!-9;-~]{1,70}$/.test(name)) return finding('mail_header_name_malformed', []);
  return mailsOwn.test(name) ? finding('mail_header_reserved', [], { name }) : undefined;
}

export const mailWarnings = ({
  reply_to: reply,
  reply_to_name: name,
  text,
  mapping,
  static: fixed,
}: Omit<Configured, 'form' | 'prepared'>): readonly Finding[] => [
  ...(name && !reply ? [finding('reply_to_name_alone', ['reply_to_name'])] : []),
  ...(text ? Object.entries({ mapping, static: fixed }) : [])
    .filter(([, value]) => value !== undefined)
    .map(([key]) => ({ ...finding('mail_text_instead', [key], { key }), aboutKey: true })),
];

/** Finds the same header in different case. */
export function mailProblems(output: Partial<Configured>): readonly Finding[] {
  const names = new Map<string, string>();
  const problems = [...wordsProblems(output)];
  for (const [name] of output.headers instanceof Map ? output.headers : []) {
    const first = names.get(name.toLowerCase());
    if (first === undefined) names.set(name.toLowerCase(), name);
    else problems.push({ ...finding('header_twice', ['headers', name], { first }), aboutKey: true });
  }
  return problems;
}

interface Addressed {
  readonly to: readonly Template[];
  readonly cc?: readonly Template[] | undefined;
  readonly bcc?: readonly Template[] | undefined;
}

/** Recipients who get every mail of an output. `undefined`: a template says who. */
export interface FixedRecipients {
  readonly to: readonly Mailbox[] | undefined;
  readonly cc: readonly Mailbox[] | undefined;
  readonly bcc: readonly Mailbox[] | undefined;
}

export const fixedRecipients = ({ to, cc, bcc }: Addressed): FixedRecipients => ({
  to: fixedAmong(to),
  cc: cc && fixedAmong(cc),
  bcc: bcc && fixedAmong(bcc),
});

/** Those of the config's own text, each once. What was read from it is an address (`recipientTemplates`). */
function fixedAmong(parts: readonly Template[]): readonly Mailbox[] | undefined {
  const mailboxes = new Map<string, Mailbox>();
  for (const { content } of parts) {
    const mailbox = typeof content === 'string' ? parseMailbox(content) : undefined;
    if (mailbox === undefined) return undefined;
    mailboxes.set(addressOf(mailbox), mailbox);
  }
  return [...mailboxes.values()];
}

interface Configured extends Wording, Addressed, Pick<CommonOutput, 'mapping' | 'static'> {
  readonly form: FormAbout;
  readonly prepared: FixedRecipients;
  readonly subject: Template;
  readonly reply_to?: Template | undefined;
  readonly reply_to_name?: Template | undefined;
  readonly headers?: ReadonlyMap<string, Template> | undefined;
  readonly attachments: Attachments;
}

type Attachments = '*' | readonly string[];

export const takesFile = ({ attachments }: Pick<Configured, 'attachments'>, field: string): boolean =>
  attachments === '*' || attachments.includes(field);

export const fileFieldsIn = ({ attachments }: Pick<Configured, 'attachments'>): readonly PlacedName[] =>
  attachments === '*'
    ? []
    : attachments.map((name, index) => ({ path: ['attachments', index], name, wantsFiles: true }));

export function mailOf(output: Configured, job: Job, scope: Scope): MailContent & Warned {
  const warnings: DeliveryWarning[] = [];
  const { prepared } = output;
  const to = prepared.to ?? recipients('to', output, scope, warnings);
  if (to.length === 0) throw failed('no_recipients');
  const { text, html, htmlStart } = wordsOf(output, job, scope);
  return {
    to,
    cc: prepared.cc ?? (output.cc && recipients('cc', output, scope, warnings)),
    bcc: prepared.bcc ?? (output.bcc && recipients('bcc', output, scope, warnings)),
    replyTo: replyTo(output, scope, warnings),
    subject: subjectOf(output, job, scope),
    text,
    html,
    htmlStart,
    attachments: job.files.size === 0 && !job.pdf ? undefined : filesOf(output, job),
    headers: headersOf(output, job, scope),
    id: job.id,
    date: job.receivedAt,
    warnings,
  };
}

function filesOf(output: Configured, { files, pdf }: Job): readonly UploadedFile[] {
  const chosen = [...files].flatMap(([field, some]) => (takesFile(output, field) ? some : []));
  return pdf && pdf !== 'failed' ? [...chosen, pdf] : chosen;
}

interface Warned {
  readonly warnings: readonly DeliveryWarning[];
}

/**
 * Commas that come from the config or the environment separate recipients; a part that holds a submitted value is one
 * address or none. Throws a `ClientError` when a part without submitted values is wrong.
 */
function recipients(
  key: 'to' | 'cc' | 'bcc',
  output: Pick<Configured, 'form' | 'to' | 'cc' | 'bcc'>,
  scope: Scope,
  warnings: DeliveryWarning[],
): readonly Mailbox[] {
  const mailboxes = new Map<string, Mailbox>();
  const add = (mailbox: Mailbox) => mailboxes.set(addressOf(mailbox), mailbox);
  for (const part of output[key] ?? []) {
    if (!part.isSubmitted) {
      for (const mailbox of configuredMailboxes(key, part.render(scope))) add(mailbox);
      continue;
    }
    for (const rendered of recipientsIn(part, scope, output.form.fields)) {
      const mailbox = submittedMailbox(part, rendered.trim(), parseSubmittedAddress);
      if (mailbox !== undefined) add(mailbox);
      else if (!warnings.includes('recipient_left_out')) warnings.push('recipient_left_out');
    }
  }
  return [...mailboxes.values()];
}

/** An address that a visitor had a hand in, alone or after a name of the owner's. */
function submittedMailbox(
  { source }: Template,
  rendered: string,
  parse: (text: string) => string | undefined,
): Mailbox | undefined {
  const [before] = nameBefore.exec(source.trim()) ?? [];
  if (before === undefined) return parse(rendered);
  const address = parse(rendered.slice(before.length, -1).trim());
  return address && parseMailbox(`${before}${address}>`);
}

/** Addresses from the owner's config or environment: dropping one silently would lose submissions. */
function configuredMailboxes(key: 'to' | 'cc' | 'bcc', rendered: string): readonly Mailbox[] {
  const parts = mailboxParts(rendered);
  if (parts.length === 0) throw failed('recipients_empty', { key });
  return parts.map((part) => {
    const mailbox = parseMailbox(part);
    if (mailbox === undefined) throw failed('recipients_malformed', { key });
    return mailbox;
  });
}

/** One address or none: a bad Reply-To must not cost a submission. */
function replyTo(
  { reply_to: reply, reply_to_name: naming }: Configured,
  scope: Scope,
  warnings: DeliveryWarning[],
): Mailbox | undefined {
  if (!reply) return undefined;
  const rendered = reply.render(scope).trim();
  if (rendered === '' || /<\s*>$/.test(rendered)) return undefined;
  const mailbox = reply.isSubmitted
    ? submittedMailbox(reply, rendered, parseAddress)
    : parseMailbox(rendered);
  if (mailbox === undefined) {
    warnings.push('reply_to_left_out');
    return undefined;
  }
  const name = naming && submittedName(naming.render(scope));
  return name ? { name, address: addressOf(mailbox) } : mailbox;
}

function subjectOf({ subject, form }: Configured, { formId, doubt }: Job, scope: Scope): string {
  const words = oneLine(subject.render(scope)) || oneLine(`Form submission: ${formId}`);
  return doubt === undefined ? words : oneLine(`${form.tagSubject} ${words}`);
}

function headersOf(
  { headers }: Configured,
  { doubt }: Job,
  scope: Scope,
): ReadonlyMap<string, string> | undefined {
  if (!headers && doubt === undefined) return undefined;
  const rendered = new Map([...(headers ?? [])].map(([name, value]) => [name, oneLine(value.render(scope))]));
  const isOwn = [...rendered.keys()].some((name) => name.toLowerCase() === doubtHeader.toLowerCase());
  return doubt === undefined || isOwn ? rendered : rendered.set(doubtHeader, doubt);
}

/**
 * A subject or a header on one line: controls and line separators become spaces; `=?` is taken apart, since it would start an
 * encoded word (RFC 2047), and in it anything could be written.
 */
export const oneLine = (rendered: string): string =>
  plainLine.test(rendered)
    ? rendered.trim()
    : rendered
        .replaceAll(/[\0-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
        .replaceAll('=?', '= ?')
        .trim();

/** Most lines are such: nothing but the space around it would change. */
const plainLine = /^(?!.*=\?)[ -~]*$/;

/** Most servers sign what they send. */
export const lateDkim = late(() => import('./dkim.ts'), 'dkim');

export const dkim = lateSchema(lateDkim, ({ dkimSchema }) => dkimSchema);
