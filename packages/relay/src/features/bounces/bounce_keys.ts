/** The keys of `bounces`: each provider has its own. */
import * as v from 'valibot';
import { bareAddress } from '../../base/address.ts';
import type { Bounces } from '../../base/bounces.ts';
import type { Form } from '../../form.ts';
import type { Output } from '../../outputs/output.ts';
import type { Schema } from '../../schema/any_schema.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { wrong } from '../../schema/issue.ts';
import { optional, section } from '../../schema/keys.ts';
import { recipientsOf, takesMails } from '../../transports/index.ts';
import { isTyped } from './owners.ts';
import { providers } from './providers/index.ts';
import type { Provider } from './providers/provider.ts';

export const bounceKeys = Object.fromEntries(
  Object.entries(providers as Readonly<Record<string, Provider>>).map(
    ([name, { summary, keys, example }]) => [name, optional<unknown>(summary, section(keys, example))],
  ),
);

export const bouncesSchema: Schema<Omit<Bounces, 'where'>> = v.pipe(
  section(bounceKeys, '{ses: {topics: [arn:aws:sns:…]}}'),
  v.check((found) => Object.values(found).some(Boolean), wrong('bounces_of_no_provider')),
) as never;

// Warns where the owner would not learn that an address takes no mail, and where mails go on being sent to it.

export const bounceWarnings = (
  alerts: { readonly form: Pick<Form, 'outputs'> } | undefined,
  forms: readonly Form[],
): readonly Finding[] =>
  [
    ...(alerts ? toldToItself(alerts.form.outputs, forms) : [finding('bounces_untold', ['bounces'])]),
    ...forms.flatMap(mailsToVisitors),
  ].map((one) => ({ ...one, severity: 'warning' }));

/** An alert is not mailed to the address that it is about. */
function toldToItself(outputs: readonly Output[], forms: readonly Form[]): readonly Finding[] {
  const told = outputs.map(addressesOf);
  const [address, ...others] = new Set(told.flat());
  if (address === undefined || others.length > 0 || told.some((one) => one.length === 0)) return [];
  const form = forms.find((one) => one.outputs.some((output) => addressesOf(output).includes(address)));
  return form
    ? [finding('bounces_told_there_alone', ['alerts', 'outputs', 0], { address, form: form.id })]
    : [];
}

/** Outputs do not ask the list. Visitors have a say in `to` alone. */
const mailsToVisitors = (form: Form): readonly Finding[] =>
  form.outputs.flatMap(({ target }, index) =>
    takesMails(target) && target.to.some((template) => isTyped(template, form))
      ? [finding('bounces_unasked', ['forms', form.id, 'outputs', index, 'to'])]
      : [],
  );

/** As written: variables are not known yet. */
const addressesOf = ({ target }: Output): readonly string[] =>
  recipientsOf(target).map(({ source }) => bareAddress(source.trim()).toLowerCase());
