/** What outputs that send mail share: recipients, subject and text. */

import * as v from 'valibot';
import { parseAddress, parseSubmittedAddress } from '../address.ts';
import { failed } from '../client_error.ts';
import { finding } from '../config_finding.ts';
import type { DeliveryWarning } from '../event.ts';
import type { Job, Payload } from '../job.ts';
import { read, report, wrong } from '../schema/issue.ts';
import { optional, required, withDefault } from '../schema/keys.ts';
import { template, textOrNothing } from '../schema/kinds.ts';
import { parseTemplates } from '../template/parse.ts';
import type { Scope, Template } from '../template/render.ts';

/** For recipients, most would expect a list. */
function noText(issue: v.BaseIssue<unknown>): string {
  if (!Array.isArray(issue.input)) return wrong('not_text')(issue);
  const isPlain =
    issue.input.length > 0 && issue.input.every((one) => typeof one === 'string' && parseAddress(one));
  return wrong('recipients_in_list', { joined: isPlain ? issue.input.join(', ') : undefined })(issue);
}

export const mailKeys = {
  to: required(
    'The recipients, separated by commas. A part that holds a submitted value must be exactly one address; a part whose environment variable is not set fails the delivery.',
    v.pipe(
      textOrNothing(noText),
      read(parseTemplates),
      v.rawCheck(({ dataset, addIssue }) => {
        if (!dataset.typed) return;
        const parts = dataset.value;
        if (parts.length === 0) addIssue(report(finding('recipients_missing', [])));
        for (const { content, source, isSubmitted, defaults } of parts) {
          if (isSubmitted && [...defaults].some((text) => text.includes(',')))
            addIssue(report(finding('recipient_default_with_comma', [])));
          if (typeof content === 'string' && !parseAddress(content.trim()))
            addIssue(report(finding('recipient_malformed', [], { source })));
        }
      }),
      v.metadata({ jsonSchema: { title: 'template', type: 'string' } }),
    ),
  ),
  subject: withDefault('Form submission: {{ .form.id }}', 'The subject.', template()),
  reply_to: optional(
    'The `Reply-To` address: exactly one, usually `{{ .fields.email }}`. Left out when it is not an address.',
    v.pipe(
      template(),
      v.check(
        ({ content }) =>
          typeof content !== 'string' || content === '' || parseAddress(content.trim()) !== undefined,
        wrong('not_an_address_or_template'),
      ),
      v.metadata({ jsonSchema: { title: 'template', type: ['string', 'null'] } }),
    ),
  ),
};

interface Configured {
  readonly to: readonly Template[];
  readonly subject: Template;
  readonly reply_to?: Template | undefined;
}

/** What every mail is made of. Throws a `ClientError` when nobody is left to send it to. */
export function mailOf({ to, subject, reply_to }: Configured, { payload }: Job, scope: Scope) {
  const warnings: DeliveryWarning[] = [];
  return {
    to: recipients(to, scope, warnings),
    replyTo: replyTo(reply_to, scope, warnings),
    subject: subjectLine(subject.render(scope)),
    text: mailText(payload),
    warnings,
  };
}

/**
 * Commas that come from the config or the environment separate recipients; a part that holds a submitted value is one
 * address or none (D13). Throws a `ClientError` when nobody is left, or when a part without submitted values is wrong.
 */
function recipients(to: readonly Template[], scope: Scope, warnings: DeliveryWarning[]): readonly string[] {
  const addresses = new Set<string>();
  for (const part of to) {
    const rendered = part.render(scope);
    if (part.isSubmitted) {
      const address = parseSubmittedAddress(rendered.trim());
      if (address) addresses.add(address);
      else if (!warnings.includes('recipient_left_out')) warnings.push('recipient_left_out');
    } else {
      for (const address of configuredAddresses(rendered)) addresses.add(address);
    }
  }
  if (addresses.size === 0) throw failed('no_recipients');
  return [...addresses];
}

/** Addresses that the owner wrote, here or in the environment: to lose one of them silently would lose submissions. */
function configuredAddresses(rendered: string): readonly string[] {
  const parts = rendered.split(',').map((part) => part.trim());
  const addresses = parts.filter((part) => part !== '').map(parseAddress);
  if (addresses.length === 0) throw failed('recipients_empty');
  return addresses.map((address) => {
    if (address === undefined) throw failed('recipients_malformed');
    return address;
  });
}

/** One address or nothing: a submission is not lost over a bad Reply-To (D13). */
function replyTo(reply: Template | undefined, scope: Scope, warnings: DeliveryWarning[]): string | undefined {
  const rendered = reply?.render(scope).trim();
  if (!rendered) return undefined;
  const address = parseAddress(rendered);
  if (!address) warnings.push('reply_to_left_out');
  return address;
}

/**
 * A subject on one line: controls and line separators become spaces; `=?` is taken apart, since it would start an
 * encoded word (RFC 2047), and in it anything could be written (D13).
 */
const subjectLine = (rendered: string): string =>
  rendered
    .replaceAll(/[\0-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
    .replaceAll('=?', '= ?')
    .trim();

/**
 * One `key=value` line per value, sorted by key (SPEC: Multi-value serialization). Further lines of a value are
 * indented by a tab, so that no visitor can write a line that looks like another field's (D25).
 */
function mailText(payload: Payload): string {
  let text = '';
  for (const [key, values] of payload) {
    for (const value of values) text += `${key}=${value.replaceAll(lineBreak, '\n\t')}\n`;
  }
  return text;
}

const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
