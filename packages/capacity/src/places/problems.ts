/** What must hold between the keys of places and others. */
import type { Diagnostics, Field, Parsed } from '@form-relay/core/index';
import { didYouMean, isMap, nearest } from '@form-relay/core/kit';
import type { Once, OptionPlaces } from './claims.ts';
import type { placesKeys } from './keys.ts';

type Keys = Partial<Parsed<typeof placesKeys>>;

/** Types whose visitors may leave an option out: a grid needs them all. */
const counted: readonly string[] = ['select', 'radios', 'checkboxes'];

export function checkOptions(options: OptionPlaces, fields: readonly Field[], at: Diagnostics): void {
  for (const [name, limits] of options) {
    const place = at.in('option_places', name);
    const field = fields.find((one) => one.name === name);
    if (!field) {
      place.error(undeclared(name, fields), { aboutKey: true });
      continue;
    }
    if (!counted.includes(field.type) || !field.offered) {
      place.error(
        `"${name}" takes no places; places of options are for fields of type select, radios and checkboxes`,
        { aboutKey: true, fix: 'remove' },
      );
      continue;
    }
    for (const value of limits.keys())
      if (!field.offered.includes(value))
        place.in(value).error(`"${value}" is not one of the options`, { aboutKey: true, fix: 'remove' });
  }
}

const undeclared = (name: string, fields: readonly Field[]) => {
  const near = nearest(
    name,
    fields.map((one) => one.name),
  );
  return `"${name}" is not a declared field${didYouMean(near)}`;
};

/** @param form All its keys, of other features too. */
export function checkOnce(
  { by, reveal }: Once,
  form: Readonly<Record<string, unknown>>,
  fields: readonly Field[],
  at: Diagnostics,
): void {
  const place = at.in('once', 'by');
  const index = fields.findIndex(({ name }) => name === by);
  const field = fields[index];
  if (!field) return void place.error(undeclared(by, fields));
  if (field.type === 'file')
    return void place.error('two files are hardly ever the same; name another field');
  if (field.visible_when)
    return void at
      .in('fields', index, 'visible_when')
      .error(
        `with once, visitors who do not see "${by}" could register as often as they like; remove visible_when`,
        { aboutKey: true, fix: 'remove' },
      );
  if (!field.required)
    return void at
      .in('fields', index)
      .error(
        `with once, visitors could leave "${by}" empty and register as often as they like; add required: true`,
        { fix: [[[...at.path, 'fields', index, 'required'], true]] },
      );
  if (reveal) return;
  if (field.type !== 'email')
    return void place.error(
      `"${by}" holds no mail address, so that nobody could be told; name an email field, or add reveal: true`,
    );
  const { confirmation_mail: mail, double_opt_in: optIn, outputs } = form;
  const sendsMails =
    [mail, optIn].some(isMap) ||
    (Array.isArray(outputs) &&
      outputs.some((one) => isMap(one) && /^(?:smtp|email)$/.test(String(one.type))));
  if (!sendsMails)
    at.in('once').error(
      'the form sends no mails, so that nobody could tell the owner of an address; add an output of type smtp or email, or a confirmation_mail with a server of its own, or reveal: true',
    );
  for (const [key, one] of Object.entries({ double_opt_in: optIn, confirmation_mail: mail }))
    if (isMap(one) && typeof one.to === 'string' && one.to !== by)
      at.in(key, 'to').error(
        `this mail tells its reader whether the address in "${by}" was new; write to: ${by}, or add reveal: true to once`,
      );
  // Behind a link in a mail, only the owner of the address gets one.
  if (form.receipt === true && !isMap(optIn))
    at.in('receipt').error(
      'a receipt proves the delivery, so it tells strangers who has registered; add reveal: true to once, or remove receipt',
      { aboutKey: true },
    );
}

/** Answers that differ for strangers while an output fails. */
export function warnOfOnce(form: Readonly<Record<string, unknown>>, at: Diagnostics): void {
  const { outputs, keep, kept_message: message } = form;
  if (!Array.isArray(outputs) || !outputs.some((one) => isMap(one) && one.on_error !== 'continue')) return;
  if (keep === undefined)
    at.in('once').warning(
      'while an output fails, new addresses read an error and registered ones do not, which tells who has registered; add keep: failed',
      { aboutKey: true },
    );
  else if (keep === 'failed' && message !== undefined)
    at.in('kept_message').warning(
      'while an output fails, only new addresses read this, which tells who has registered; remove kept_message',
      { aboutKey: true },
    );
}

export function checkFull(keys: Keys, at: Diagnostics): void {
  if (keys.places === undefined && keys.option_places === undefined && keys.full_text !== undefined)
    at.in('full_text').error(
      'the form is never full, so this says nothing; add places or option_places, or leave it out',
      { aboutKey: true, fix: 'remove' },
    );
}
