/** Limits a form to a number of submissions, or to one for each value of a field (docs/places.md). */

import type {
  Card,
  Diagnostics,
  Field,
  FormConfig,
  Outcome,
  Parsed,
  Plugin,
  Submission,
  Withdrawing,
} from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { isMap } from '@form-relay/schema/schema';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import { placesFor } from '@form-relay/stores/index';
import type { Once, OptionPlaces, Places, Taken } from './claims.ts';
import { placesKeys, shown } from './keys.ts';
import { deliverReserved, free, precheck, takenBy, withdraw } from './reserve.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly places: CountedPlaces;
    /** Tells the owner of an address, and no one else, that the address is already registered. */
    readonly registered_mail: (submission: Submission, field: string) => Promise<void>;
  }
}

interface CountedPlaces extends Places, Withdrawing {
  /** Why a submission would be rejected now. Reserves nothing. */
  precheck(submission: Submission): Promise<Outcome | undefined>;
  /** The places that a delivered submission takes. */
  takenBy(submission: Pick<Submission, 'form' | 'values' | 'settings'>): Taken;
  /** Frees what a withdrawn submission took. */
  free(submission: Submission, taken: Taken): Promise<void>;
}

const places = feature({
  name: 'places',
  after: ['counters', 'registered_mail', 'double_opt_in', 'confirmation_mail', 'receipt'],
  keys: { form: placesKeys },
  completeFields: ({ form: { once }, fields }) => {
    // A field counted by `once` takes one value, because a second one would not be registered.
    for (const field of fields) if (field.name === once?.by) Object.assign(field, { takesOne: true });
  },
  configure: ({ form, fields, pathOf, provided, sharedBy }, at) => {
    const { places: total, option_places: options = new Map(), once, full_text } = form;
    const all: Readonly<Record<string, unknown>> = form;
    checkFull(form, at);
    if (form.option_places) checkOptions(form.option_places, fields, at);
    if (once?.by) checkOnce(once, all, fields, pathOf, at);
    if ((total ?? once) === undefined && options.size === 0) return undefined;
    const counters = provided.get('counters');
    if (!counters) {
      if (at.fromTop('counted_in').isWrong) return undefined;
      const key = total !== undefined ? 'places' : form.option_places ? 'option_places' : 'once';
      const why = sharedBy.get('keep')
        ? 'the store of keep cannot count'
        : 'no store for counts is configured';
      return at
        .in(key)
        .error(`${why}; set counted_in at the top: ${placesFor('counts')} (docs/counting.md)`, {
          fix: [[['counted_in'], '/var/lib/form-relay']],
        });
    }
    const hasOptIn = all.double_opt_in !== undefined;
    const settings: Places = {
      total,
      options,
      once,
      isSecret: once !== undefined && !once.reveal && !hasOptIn,
      // People click a link in a mail twice, and servers retry.
      isRemembered: hasOptIn || all.keys_env !== undefined,
      full: {
        kind: 'full',
        status: 403,
        message: { code: 'form_full' },
        ownersText: full_text,
        isClosed: true,
      },
    };
    if (settings.isSecret) warnOfOnce(all, at);
    if (once) at.in('once').needsEnv('FORM_TOKEN_SECRET');
    const isShown = total !== undefined || options.size > 0;
    return {
      cards: cardsOf(settings),
      provides: {
        ...settings,
        precheck: (submission) => precheck(settings, counters, submission),
        withdraw: (submission) => withdraw(settings, counters, submission),
        takenBy: (submission) => takenBy(settings, submission),
        free: (submission, taken) => free(counters, submission, taken),
      },
      afterValidation: (next) => (submission) => deliverReserved(settings, counters, submission, next),
      ...(isShown && {
        view: (view) => (view.now === undefined ? view : shown(settings, counters, view)),
      }),
    };
  },
});

function cardsOf({ total, options, once }: Places): readonly Card[] {
  const of = [total, options.size > 0 && `by option: ${[...options.keys()].join(', ')}`].filter(Boolean);
  return [
    ...(of.length > 0 ? [{ name: 'places', says: `${of.join('; ')}; then closes the form` }] : []),
    ...(once ? [{ name: 'once', says: `accepts one submission for each value of “${once.by}”` }] : []),
  ];
}

export const plugin: Plugin = {
  name: 'places',
  features: [places],
  messages: {
    en: {
      form_full: 'All places are taken.',
      already_registered: 'This form was already sent, and can only be sent once.',
      uncounted:
        'We cannot check right now whether a place is left. Your entries are not lost: please send the form again in a moment.',
      busy: 'the check failed; please try again in a few seconds',
      option_full: '{option} is full. Please choose something else.',
      option_left: '{option} ({left} left)',
      option_taken: '{option} (full)',
    },
  },
};

// Conflicts between the keys of places and other keys.

type Keys = Partial<Parsed<typeof placesKeys>>;

/** Types in which visitors may leave out an option; a grid requires all of them. */
const counted: readonly string[] = ['select', 'radios', 'checkboxes'];

function checkOptions(options: OptionPlaces, fields: readonly Field[], at: Diagnostics): void {
  for (const [name, limits] of options) {
    const place = at.in('option_places', name);
    const field = fields.find((one) => one.name === name);
    if (!field) {
      place.error(undeclared(name, fields), { aboutKey: true });
      continue;
    }
    if (!counted.includes(field.type) || !field.offered) {
      place.error(
        `"${name}" cannot have option_places, which are for fields of type select, radios and checkboxes`,
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

/** @param form All keys of the form, including those of other features. */
function checkOnce(
  { by, reveal }: Once,
  form: Readonly<Record<string, unknown>>,
  fields: readonly Field[],
  pathOf: FormConfig['pathOf'],
  at: Diagnostics,
): void {
  const place = at.in('once', 'by');
  const field = fields.find(({ name }) => name === by);
  if (!field) return void place.error(undeclared(by, fields));
  if (field.type === 'file') return void place.error('once cannot compare files; choose another field');
  const declared = at.in(...pathOf(field));
  if (field.visible_when)
    return void declared.error(
      `with once, visitors who do not see "${by}" could register any number of times; remove visible_when from the field and its step`,
    );
  if (!field.required)
    return void declared.error(
      `with once, visitors could leave "${by}" empty and register any number of times; add required: true`,
      { fix: [[[...declared.path, 'required'], true]] },
    );
  if (reveal) return;
  if (field.type !== 'email')
    return void place.error(
      `"${by}" is not an e-mail field, so the relay could not notify its owner; choose an email field, or add reveal: true`,
    );
  const { confirmation_mail: mail, double_opt_in: optIn, outputs } = form;
  const sendsMails =
    [mail, optIn].some(isMap) ||
    (Array.isArray(outputs) &&
      outputs.some((one) => isMap(one) && /^(?:smtp|email)$/.test(String(one.type))));
  if (!sendsMails)
    at.in('once').error(
      'the form sends no mails, so the owner of an address would not be notified; add an output of type smtp or email, or a confirmation_mail with a server of its own, or reveal: true',
    );
  for (const [key, one] of Object.entries({ double_opt_in: optIn, confirmation_mail: mail }))
    if (isMap(one) && typeof one.to === 'string' && one.to !== by)
      at.in(key, 'to').error(
        `this mail tells its reader whether the address in "${by}" is new; write \`to: ${by}\`, or add reveal: true to once`,
      );
  // With double opt-in, only the owner of the address gets a receipt.
  if (form.receipt === true && !isMap(optIn))
    at.in('receipt').error(
      'a receipt proves delivery, so it shows strangers who has registered; add reveal: true to once, or remove receipt',
      { aboutKey: true },
    );
}

/** Warns that, while an output fails, the response shows others who has registered. */
function warnOfOnce(form: Readonly<Record<string, unknown>>, at: Diagnostics): void {
  const { outputs, keep, kept_message: message } = form;
  if (!Array.isArray(outputs) || !outputs.some((one) => isMap(one) && one.on_error !== 'continue')) return;
  if (keep === undefined)
    at.in('once').warning(
      'while an output fails, only new addresses get an error, which shows who has registered; add keep: failed',
      { aboutKey: true },
    );
  else if (keep === 'failed' && message !== undefined)
    at.in('kept_message').warning(
      'while an output fails, only new addresses get this text, which shows who has registered; remove kept_message',
      { aboutKey: true },
    );
}

function checkFull(keys: Keys, at: Diagnostics): void {
  if (keys.places === undefined && keys.option_places === undefined && keys.full_text !== undefined)
    at.in('full_text').error(
      'the form is never full, so this text is never shown; add places or option_places, or remove this key',
      { aboutKey: true, fix: 'remove' },
    );
}
