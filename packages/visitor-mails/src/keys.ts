import type { Diagnostics, Field, Fix, Form, Parsed, Path, Properties, Values } from '@form-relay/core/index';
import { ownMailbox, replyTemplate } from '@form-relay/more-outputs/mail_headers';
import { linkedTemplate } from '@form-relay/more-outputs/templates';
import { object } from '@form-relay/schema/collections';
import { boolean, duration, isNumber, localized, name, number, oneOf } from '@form-relay/schema/scalars';
import { isMap, optional, required, withDefault } from '@form-relay/schema/schema';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { Template } from '@form-relay/schema/template';
import { ownTemplate, template } from '@form-relay/schema/templates';
import { isMailType, throughSchema } from './carrier.ts';

const ownReplyTo = replyTemplate(
  ownTemplate('visitors must not choose the address for replies; use your own'),
);

const perHour = (most: string) =>
  withDefault(
    '100',
    `Maximum number of mails an hour from each running relay: at most ${most} to each address, and a fifth of the maximum for each client.`,
    number({ least: 1, most: 10_000, whole: true }),
  );

const commonKeys = {
  to: required('`email` field with the visitor’s address (`mail`).', name()),
  subject: required('Subject. Templates can use only fields with options.', localized(template())),
  text: required('Text of the mail. Fields as in `subject`.', localized(linkedTemplate())),
  html: withDefault(
    'false',
    'Sends the mail as HTML, with a plain-text version: the form’s title, and `text`.',
    boolean(),
  ),
  footer: optional('Footer of an HTML mail.', localized(linkedTemplate())),
  from: optional(
    'Sender (`forms@example.com`). Default: the sender of the output used for the mail.',
    ownMailbox,
  ),
  reply_to: optional('Address for replies, without submitted values.', ownReplyTo),
  through: optional(
    'Mail server: `{type: smtp, host: …}` or `{type: email}`. Default: the server of the first output that sends mails.',
    throughSchema,
  ),
  per_hour: perHour('one'),
};

export type VisitorMail = Parsed<typeof commonKeys> & { readonly copy?: 'all' | undefined };

/** Plain-text mails have no `footer`. */
function footerProblem({ html }: { readonly html?: unknown }, at: Diagnostics): void {
  if (at.in('footer').written !== undefined && html === false)
    at.in('footer').error('`footer` is only for HTML mails; add `html: true`, or write it into `text`', {
      aboutKey: true,
    });
}

const block = <K extends Properties>(keys: K, example = '{to: email, subject: …, text: …}') =>
  object(keys, example, footerProblem);

export const confirmationMailSchema = block({
  ...commonKeys,
  copy: optional(
    '`all` adds the submission below `text`. Needs a `double_opt_in` for the same `to`, so that strangers’ texts are not mailed to others.',
    oneOf(['all']),
  ),
});

const doubleOptInKeys = {
  ...commonKeys,
  to: required('The `required` `email` field to confirm (`mail`).', name()),
  per_hour: perHour('three'),
  expires: withDefault(
    '48h',
    'How long the link works, from a minute to 90 days.',
    duration({ leastMs: 60_000, mostMs: 90 * 86_400_000 }),
  ),
  confirm: withDefault(
    'open',
    'Confirms by opening the link in a browser with scripts (`open`), or by the button on its page (`click`), which mail scanners don’t press.',
    oneOf(['open', 'click']),
  ),
};

/** A mail with a link. Nothing is delivered before a click on it. */
export type DoubleOptIn = Parsed<typeof doubleOptInKeys>;
export const doubleOptInSchema = block(doubleOptInKeys);

const { to: _, ...keysOfAll } = commonKeys;
const codeMailKeys = { ...keysOfAll, per_hour: perHour('three') };

/** A mail with a code below its text, to the address that it verifies. */
export type CodeMail = Parsed<typeof codeMailKeys>;
export const codeMailSchema = block(codeMailKeys, '{subject: …, text: …}');

/** The keys of another feature's mail, which may use the relay's default texts. */
export const furtherMailKeys = {
  ...codeMailKeys,
  subject: optional('', localized(template())),
  text: optional('', localized(linkedTemplate())),
};
export const furtherMailSchema = block(furtherMailKeys, '{subject: …, text: …}');

// Reports contradictions between mails to visitors and other keys of a form.

/** The parts of a form that mails depend on. */
interface MailForm {
  readonly fields: readonly Field[];
  readonly outputTypes: readonly string[];
  readonly provided: Form['provided'];
}

export function checkMail(
  mail: Partial<VisitorMail>,
  { fields, outputTypes, provided }: MailForm,
  at: Diagnostics,
): void {
  checkAddress(mail.to, fields, at.in('to'));
  for (const [key, words] of Object.entries({ subject: mail.subject, text: mail.text, footer: mail.footer }))
    for (const { path, template } of templatesIn(words)) checkWords(template, fields, at.in(key, ...path));
  const isCarried = outputTypes.length === 0 || outputTypes.some(isMailType);
  if (!at.in('through').isWrong && !mail.through && !isCarried)
    at.error('no output sends mails; add `through: {type: smtp, host: …}` or `through: {type: email}`');
  // A captcha or a minimum time stops bots from sending mails to strangers.
  if (provided.get('captcha') === undefined && provided.get('min_fill') === undefined)
    at.warning(
      'bots could make the relay mail strangers in your name, until mail servers reject your mail; add captcha, or spam: {min_fill_seconds: 3, too_fast: doubt, doubt: tag}; a honeypot alone does not stop bots written for this form',
      { aboutKey: true, fix: guarding(at) },
    );
}

/** The minimum protection that stops bots from sending mails. */
function guarding({ path, report: { written } }: Diagnostics): Fix {
  const [, id] = path;
  const config = isMap(written) ? written : {};
  const form = isMap(config.forms) ? config.forms[String(id)] : undefined;
  const weighs = [config, form].some((one) => isMap(one) && isMap(one.spam) && one.spam.doubt !== undefined);
  const keys = { min_fill_seconds: 3, ...(!weighs && { too_fast: 'doubt', doubt: 'tag' }) };
  return Object.entries(keys).map(([key, value]) => [[...path.slice(0, 2), 'spam', key], value]);
}

/** The templates in a text with their paths, which include the language if there are several. */
function templatesIn(words: unknown, path: Path = []): readonly { path: Path; template: Template }[] {
  if (words instanceof Template) return [{ path, template: words }];
  if (words instanceof Map)
    return [...words].flatMap(([language, one]) => templatesIn(one, [...path, String(language)]));
  return [];
}

const namesOf = (fields: readonly Field[]) => fields.map(({ name }) => name);

function checkAddress(to: string | undefined, fields: readonly Field[], at: Diagnostics): void {
  if (to === undefined || to === '') return;
  const field = fields.find(({ name }) => name === to);
  const emails = fields.filter(({ type }) => type === 'email').map(({ name }) => name);
  const only = emails.length === 1 ? emails[0] : undefined;
  const near = nearest(to, namesOf(fields)) ?? only;
  if (!field && to.includes('{{'))
    at.error(`expected the name of a field, without a template${didYouMean(near)}`);
  else if (!field) at.error(`"${to}" is not a declared field${didYouMean(near)}`);
  else if (field.type !== 'email')
    at.error(
      `"${to}" is not a field of type email; other types accept more than addresses${didYouMean(only)}`,
    );
}

/** A visitor who could choose both text and recipient could send anything to anyone in the owner's name. */
function checkWords({ fieldNames, pagePaths }: Template, fields: readonly Field[], at: Diagnostics): void {
  for (const name of fieldNames) {
    const field = fields.find((one) => one.name === name);
    if (!field) at.error(`"${name}" is not a declared field${didYouMean(nearest(name, namesOf(fields)))}`);
    else if (!isInWords(field))
      at.error(
        `"${name}" cannot be used here: anyone could send their own text to any address in your name; use only fields with values from the config, such as select, checkbox, rating, range and country`,
      );
  }
  for (const path of pagePaths)
    at.error(`anyone can set ${path}, and so send text to any address in your name; remove it`);
}

/** The relay may mail what was typed only to a confirmed address. */
export function checkCopy(
  { copy, to }: Partial<Pick<VisitorMail, 'copy' | 'to'>>,
  { provided }: Pick<MailForm, 'provided'>,
  at: Diagnostics,
): void {
  const confirmed = provided.get('double_opt_in')?.config.to;
  if (copy === 'all' && (to === undefined || confirmed !== to))
    at.in('copy').error(
      'anyone could mail their own text to others; add double_opt_in with the same to, so that the address is confirmed first',
    );
}

/**
 * Whether the text of a mail may contain the field: a single value that the config lists, or a slider's
 * number. With free text, anyone could send messages to strangers in the owner's name.
 */
export const isInWords = (field: Field): boolean =>
  !field.inputs && (field.offered !== undefined || ['checkbox', 'consent', 'range'].includes(field.type));

/** Chosen options as a browser sends them, each once, because a stranger could repeat an option a thousand times. */
export function choicesIn(values: Values, fields: readonly Field[]): Values {
  const known = new Map(values);
  for (const field of fields) {
    const sent = values.get(field.name);
    if (sent && isInWords(field) && field.type !== 'consent') known.set(field.name, chosenIn(field, sent));
  }
  return known;
}

function chosenIn({ type, offered, ...field }: Field, sent: readonly string[]): readonly string[] {
  if (offered) return [...new Set(offered)].filter((value) => sent.includes(value));
  if (type === 'checkbox') {
    const { checked_value: ticked }: Readonly<Record<string, unknown>> = { ...field };
    return sent.filter((value) => value === ticked).slice(0, 1);
  }
  return [...new Set(sent)].filter(isNumber);
}
