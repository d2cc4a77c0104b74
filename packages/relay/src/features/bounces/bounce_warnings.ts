/** Warns where the owner would not learn that an address of theirs takes no mail. */
import { bareAddress } from '../../base/address.ts';
import type { Form } from '../../form.ts';
import type { Output } from '../../outputs/output.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { recipientsOf } from '../../transports/index.ts';

export const bounceWarnings = (
  alerts: { readonly form: Pick<Form, 'outputs'> } | undefined,
  forms: readonly Form[],
): readonly Finding[] =>
  (alerts ? toldToItself(alerts.form.outputs, forms) : [finding('bounces_untold', ['bounces'])]).map(
    (one) => ({ ...one, severity: 'warning' }),
  );

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

/** As written: variables are not known yet. */
const addressesOf = ({ target }: Output): readonly string[] =>
  recipientsOf(target).map(({ source }) => bareAddress(source.trim()).toLowerCase());
