/** A form takes so many submissions, or one from each (docs/places.md). */
import type { Card, Outcome, Plugin, Submission } from '@form-relay/core/index';
import { feature, outputExtension, removed } from '@form-relay/core/kit';
import { somewhere } from '../counters/place.ts';
import type { Places } from './claims.ts';
import { noWaitingList, placesKeys } from './keys.ts';
import { checkFull, checkOnce, checkOptions, warnOfOnce } from './problems.ts';
import { deliverReserved, precheck } from './reserve.ts';
import { shown } from './shown.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly places: CountedPlaces;
    /** Tells the owner of an address, and nobody else, that it has registered before. */
    readonly registered_mail: (submission: Submission, field: string) => Promise<void>;
  }
}

interface CountedPlaces extends Places {
  /** Why a submission would be refused now. Takes nothing. */
  precheck(submission: Submission): Promise<Outcome | undefined>;
}

const places = feature({
  name: 'places',
  after: ['counters', 'registered_mail', 'double_opt_in', 'confirmation_mail', 'receipt'],
  keys: { form: placesKeys },
  configure: ({ form, fields, provided, sharedBy }, at) => {
    const { places: total, option_places: options = new Map(), once, full_text } = form;
    const all: Readonly<Record<string, unknown>> = form;
    checkFull(form, at);
    if (form.option_places) checkOptions(form.option_places, fields, at);
    if (once?.by) checkOnce(once, all, fields, at);
    if ((total ?? once) === undefined && options.size === 0) return undefined;
    const counters = provided.get('counters');
    if (!counters) {
      if (at.fromTop('counted_in').isWrong) return undefined;
      const key = total !== undefined ? 'places' : form.option_places ? 'option_places' : 'once';
      const why = sharedBy.get('keep') ? 'a queue cannot count' : 'nothing says where this is counted';
      return at.in(key).error(`${why}; write counted_in at the top: ${somewhere} (docs/places.md)`, {
        fix: [[['counted_in'], '/var/lib/form-relay']],
      });
    }
    const hasOptIn = all.double_opt_in !== undefined;
    const settings: Places = {
      total,
      options,
      once,
      isSecret: once !== undefined && !once.reveal && !hasOptIn,
      // A link in a mail is clicked twice, and servers retry what they sent.
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
      },
      afterValidation: (next) => (submission) => deliverReserved(settings, counters, submission, next),
      ...(isShown && {
        prepareView: (view) => (view.now === undefined ? view : shown(settings, counters, view)),
        // Takes out options that are full since.
        renderMarkup: ({ medium }) => (medium === 'script' && options.size > 0 ? { part: 'places' } : {}),
      }),
    };
  },
});

function cardsOf({ total, options, once }: Places): readonly Card[] {
  const of = [total, options.size > 0 && `by option: ${[...options.keys()].join(', ')}`].filter(Boolean);
  return [
    ...(of.length > 0 ? [{ name: 'places', says: `${of.join('; ')}; then closes the form` }] : []),
    ...(once ? [{ name: 'once', says: `takes one submission for each value of “${once.by}”` }] : []),
  ];
}

const waiting = outputExtension({
  name: 'waiting',
  keys: {
    waiting: removed('0.2.0', 'a full form is closed', `leave it out; ${noWaitingList}`),
  },
  configure: () => undefined,
});

export const plugin: Plugin = {
  name: 'places',
  features: [places],
  outputExtensions: [waiting],
  messages: {
    en: {
      form_full: 'All places are taken.',
      already_registered: 'This was sent before, and can be sent once only.',
      uncounted:
        'Whether a place is left cannot be told right now. What you typed is not lost: please send it again in a moment.',
      busy: 'this could not be checked just now; please send it again in a few seconds',
      option_full: '{option} is full. Please choose something else.',
      option_left: '{option} (free: {left})',
      option_taken: '{option} (full)',
    },
  },
};
