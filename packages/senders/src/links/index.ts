import { html } from '@form-relay/base/html';
import { lockedValues } from '@form-relay/capacity/places/claims';
import { sentByInputs } from '@form-relay/core/html/field_view';
import { hiddenInput } from '@form-relay/core/html/fragments';
import type {
  Field,
  FormMarkup,
  FormView,
  Outcome,
  Plugin,
  Submission,
  Values,
} from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { refused } from '@form-relay/core/submission';
import { oneOf } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';
import type { Link } from './sealed_link.ts';
import { linkField, type Opened, openedIn, openedLink } from './sealed_link.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    links: 'optional' | 'required';
  }
}

const openedBy = ({ sent, formId, settings, receivedAt }: Submission): Opened =>
  openedLink(settings.formTokenSecret, formId, sent, receivedAt);

/** How a form without its required link is refused. */
const refusalOf = ({ kind }: Opened): Outcome => ({
  ...refused(403, kind === 'expired' ? 'link_expired' : 'link_missing'),
  kind: 'link_needed',
  isClosed: true,
  by: 'links',
  why: kind === 'expired' ? 'its link has expired' : 'it came without a link of yours, or with a part of one',
});

/** Accepts links that fill in the form. */
const links = feature({
  name: 'links',
  before: ['honeypot'],
  keys: {
    form: {
      links: optional(
        'Takes links that fill in the form, as `relay link` makes them: `optional`, or `required`, so that nobody can send it without one (docs/links.md). Needs FORM_TOKEN_SECRET in the environment.',
        oneOf(['optional', 'required']),
      ),
    },
  },
  configure: ({ form: { links: written } }, at) => {
    if (written === undefined) return undefined;
    at.in('links').needsEnv('FORM_TOKEN_SECRET');
    const isRequired = written === 'required';
    return {
      provides: written,
      reserves: [{ name: linkField, key: [], what: 'the content of a link that fills in the form' }],
      browsersOnly: true,
      beforeValidation: (next) => (submission) => {
        const opened = openedBy(submission);
        if (isRequired && opened.kind !== 'open') return refusalOf(opened);
        if (isRequired) submission.trace?.note('it came with a link of yours');
        if (opened.kind === 'open') {
          const { locked, values } = opened.link;
          submission.sent = fixedValues(submission, opened.link);
          submission.setState(lockedValues, new Map(locked.map((name) => [name, values.get(name) ?? []])));
        }
        return next(submission);
      },
      view: (view) => {
        const opened = openedIn(view);
        if (isRequired && view.request && !view.sent && !view.isLoaded && opened.kind !== 'open')
          return refusalOf(opened);
        if (opened.kind !== 'open') return view;
        const { values, locked } = opened.link;
        return {
          ...view,
          // A link overrides the rest of the address. Submitted values already include the locked ones.
          ...(!view.sent && { values: new Map([...view.values, ...spread(values, view.fields)]) }),
          locked: new Set([...(view.locked ?? []), ...locked]),
        };
      },
      markup: (view): FormMarkup => {
        const opened = openedIn(view);
        if (opened.kind === 'none') return {};
        if (opened.kind === 'open')
          return { inputs: html`${hiddenInput(linkField, opened.sealed)}\n`, isUnstored: true };
        // On a page with several forms, the link may belong to another one.
        if (view.sent || (view.medium === 'script' && opened.kind === 'unknown')) return {};
        return noteOf(opened.kind === 'expired' ? 'fill_expired' : 'fill_unknown', view);
      },
    };
  },
});

function noteOf(code: string, { locale }: FormView): FormMarkup {
  const note = html`<p class="field-note">${locale.translate({ code })}</p>\n`;
  return { runs: (items) => [note, ...items] };
}

/** The submitted values, with those that the link locks in place of whatever was sent. */
function fixedValues({ sent, form }: Submission, { locked, values }: Link): Values {
  if (locked.length === 0) return sent;
  const isLocked = (name: string) => locked.some((one) => name === one || name.startsWith(`${one}.`));
  const own = [...sent].filter(([name]) => !isLocked(name));
  const fixed = new Map(locked.map((name) => [name, values.get(name) ?? []] as const));
  return new Map([...own, ...spread(fixed, form.fields)]);
}

/** The values of inputs, for fields whose stored value is made of theirs. */
function spread(values: Values, fields: readonly Field[]): Values {
  const all = new Map(values);
  for (const field of fields) {
    const [stored] = values.get(field.name) ?? [];
    if (!field.inputs || stored === undefined) continue;
    all.delete(field.name);
    for (const [name, sent] of sentByInputs(field, stored)) all.set(name, sent);
  }
  return all;
}

export const plugin: Plugin = {
  name: 'links',
  features: [links],
  messages: {
    en: {
      fill_expired: 'This link has expired. You can fill in the form anew.',
      fill_unknown:
        'This link is not complete, so nothing was filled in. Please open the whole link, or fill in the form yourself.',
      link_missing: 'This form opens only with a link that you were sent. Please open the whole link.',
      link_expired: 'This link has expired. Please ask for a new one.',
    },
  },
};
