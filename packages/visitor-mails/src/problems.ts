/** Mistakes between mails to visitors and other keys of a form. */
import type { Diagnostics, Field, Fix, Form, Path } from '@form-relay/core/index';
import { isMap } from '@form-relay/schema/schema';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { Template } from '@form-relay/schema/template';
import { isMailType } from './carrier.ts';
import { isInWords } from './copy.ts';
import type { VisitorMail } from './keys.ts';

/** The parts of a form that mails need. */
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
    at.error(
      'no output sends mails, so none can carry this one; add `through: {type: smtp, host: …}` or `through: {type: email}`',
    );
  // The captcha or the time to fill in the form keeps bots from having mails sent.
  if (provided.get('captcha') === undefined && provided.get('min_fill') === undefined)
    at.warning(
      'nothing here costs a bot anything: one could have the relay write to strangers in your name, until mail servers refuse what you send; add captcha, or spam: {min_fill_seconds: 3, too_fast: doubt, doubt: tag}; a honeypot alone stops no bot that aims at this form',
      { aboutKey: true, fix: guarding(at) },
    );
}

/** The least that keeps bots from having mails sent. */
function guarding({ path, report: { written } }: Diagnostics): Fix {
  const [, id] = path;
  const config = isMap(written) ? written : {};
  const form = isMap(config.forms) ? config.forms[String(id)] : undefined;
  const weighs = [config, form].some((one) => isMap(one) && isMap(one.spam) && one.spam.doubt !== undefined);
  const keys = { min_fill_seconds: 3, ...(!weighs && { too_fast: 'doubt', doubt: 'tag' }) };
  return Object.entries(keys).map(([key, value]) => [[...path.slice(0, 2), 'spam', key], value]);
}

/** With the language that each is for, if there are several. */
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
      `"${to}" is no field of type email, which alone takes nothing but an address${didYouMean(only)}`,
    );
}

/** A visitor who chooses both text and recipient could send anything to anybody in the owner's name. */
function checkWords({ fieldNames, pagePaths }: Template, fields: readonly Field[], at: Diagnostics): void {
  for (const name of fieldNames) {
    const field = fields.find((one) => one.name === name);
    if (!field) at.error(`"${name}" is not a declared field${didYouMean(nearest(name, namesOf(fields)))}`);
    else if (!isInWords(field))
      at.error(
        `"${name}" cannot be used here: anyone could send words of their own to any address in your name; only fields whose values the config lists, such as select, checkbox, rating, range and country, can`,
      );
  }
  for (const path of pagePaths)
    at.error(
      `anybody can put what they like into ${path}, and so could send their words to any address in your name; leave it out`,
    );
}

/** Only whoever confirmed the address may be mailed what was typed. */
export function checkCopy(
  { copy, to }: Partial<Pick<VisitorMail, 'copy' | 'to'>>,
  { provided }: Pick<MailForm, 'provided'>,
  at: Diagnostics,
): void {
  const confirmed = provided.get('double_opt_in')?.config.to;
  if (copy === 'all' && (to === undefined || confirmed !== to))
    at.in('copy').error(
      'anybody could have their words mailed to somebody else; add double_opt_in with the same to, so that the address is confirmed first',
    );
}
