/** Keys of the config that an earlier version read. Variables are in schema/settings/removed_variables.ts. */
import type { Path } from '../schema/finding.ts';
import type { Removed } from '../schema/settings/removed_variables.ts';

const textOfHtmx: Removed = {
  since: '0.2.0',
  why: '`relay form html` prints no forms for htmx',
  instead: 'leave it out',
};

/** Class names on parts that have classes of the relay's own, by which a stylesheet finds them. */
const foundByRule = {
  title: '.form-relay > h2',
  note: '.form-note',
  field_note: '.field-note',
  group: '.field-group',
  group_legend: '.field-group > legend',
  step_title: '.form-step-title',
  progress: '.form-progress',
  required: '.field-required',
  range: '.form-relay [type=range]',
  output: '.form-relay output',
  check_label: '.choice',
  invalid: '.form-relay [aria-invalid=true]',
  summary: '.form-summary',
  errors: '.form-errors',
  confirmation: '.form-confirmation',
};

/** By path, without the form's name and without places in lists: `spam.signals.links` is that of a form and that at the top. */
export const removedKeys: Readonly<Record<string, Removed>> = {
  'keep.seal_to': {
    since: '0.2.0',
    why: 'the relay cannot retry what it cannot read',
    instead: 'leave it out, and set KEEP_SECRET, which encrypts what is kept for the relay',
  },
  'bounces.smtp': {
    since: '0.2.0',
    why: 'reports by mail differ from server to server',
    instead: 'leave it out, or send through a provider that posts its events (docs/mail/bounces.md)',
  },
  'spam.behaviour': {
    since: '0.2.0',
    why: 'it watched visitors, and was hardly used',
    instead: 'leave it out; the other signals of doubt go on, and proof_of_work asks a visitor’s browser',
  },
  'spam.signals.behaviour': {
    since: '0.2.0',
    why: 'it watched visitors, and was hardly used',
    instead: 'leave it out',
  },
  'spam.signals.httpbl': {
    since: '0.2.0',
    why: 'it was hardly used',
    instead: 'leave it out, or use stopforumspam',
  },
  ...Object.fromEntries(
    Object.entries(foundByRule).map(([part, selector]) => [
      `classes.${part}`,
      {
        since: '0.2.0',
        why: 'a rule of your stylesheet does the same',
        instead: `leave it out, and style ${selector} (docs/styling.md)`,
      },
    ]),
  ),
  'classes.legend': {
    since: '0.2.0',
    why: 'legends have the class names of labels',
    instead: 'leave it out, or name them in label',
  },
  ...Object.fromEntries(
    ['', '_link', '_label', '_option'].map((part) => [`messages.without_script${part}`, textOfHtmx]),
  ),
};

export function removedAt(path: Path): Removed | undefined {
  const own = path[0] === 'forms' ? path.slice(2) : path;
  const key = own.filter((step) => typeof step === 'string').join('.');
  return Object.hasOwn(removedKeys, key) ? removedKeys[key] : undefined;
}
