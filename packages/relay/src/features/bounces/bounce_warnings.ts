/** Warns where the owner would not learn that an address takes no mail, and where mails go on being sent to it. */
import { bareAddress } from '../../base/address.ts';
import type { Form } from '../../form.ts';
import type { Output } from '../../outputs/output.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { recipientsOf, takesMails } from '../../transports/index.ts';
import { isTyped } from './owners.ts';

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
