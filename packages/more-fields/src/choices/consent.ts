import { createHash } from 'node:crypto';
import { withoutLinks } from '@form-relay/base/html';
import { momentWords } from '@form-relay/base/time_zone';
import { tickBox } from '@form-relay/core/fields/choices';
import { fieldType } from '@form-relay/core/fields/field';
import type { LocalizedText, Plugin } from '@form-relay/core/index';
import { boolean, label, localizedText, name } from '@form-relay/schema/scalars';
import { optional, required, withDefault } from '@form-relay/schema/schema';

/** The box sends the hash of its wording, so that the record shows what the visitor read, even if the config has changed since. */
const consent = fieldType({
  type: 'consent',
  isReentered: true,
  summary: 'A checkbox for consent. Outputs get the wording and the time of consent.',
  card: {
    title: 'Consent',
    purpose: 'Choice',
    words: 'terms agree privacy gdpr legal record wording',
    sample: { label: 'I agree to the terms' },
    idleKeys: ['value', 'placeholder', 'autocomplete', 'from_query'],
  },
  missing: 'missing_tick',
  layout: 'box',
  keys: {
    label: required(
      'Wording that visitors agree to (`I agree`). Links as in `help`. Outputs get its SHA-256.',
      localizedText(label()),
    ),
    required: withDefault('true', 'Whether visitors must tick it.', boolean()),
    version: optional('Version of the wording, such as `3` or `2026-11`, recorded with its hash.', name()),
    from_query: withDefault('false', 'A link cannot tick the box.', boolean()),
  },
  problems: ({ value, from_query }, at) => {
    for (const [key, isGiven] of Object.entries({ value: value !== undefined, from_query }))
      if (isGiven)
        at.in(key).error('visitors must tick the box themselves, each time; remove this key', {
          fix: 'remove',
        });
  },
  offered: (field) => [...wordingsOf(field).keys()],
  checkValue: (field, value, { form }) => {
    if (wordingsOf(field).has(value)) return undefined;
    if (/[\da-f]{64}/i.test(value)) return { code: 'consent_changed' };
    return { code: 'consent_value', params: { value: hashOf(form.locale(undefined).text(field.label)) } };
  },
  check: (_, values) => (values.length > 1 ? { code: 'not_a_tick' } : undefined),
  store: (field, hash, { receivedAt, form }) =>
    [
      `agreed ${new Date(receivedAt).toISOString().slice(0, 19)}Z`,
      ...(field.version === undefined ? [] : [`version ${field.version}`]),
      `language ${wordingsOf(field).get(hash)?.language ?? form.locale(undefined).language ?? 'en'}`,
      `sha256:${hash}`,
    ].join('; '),
  canonical: (_, value) => recordIn(value)?.sha256 ?? value,
  json: (_, [stored]) => (stored === undefined ? undefined : (recordIn(stored) ?? stored)),
  words: (field, stored, { translate }, shown) =>
    stored.map((one) => {
      const record = recordIn(one);
      if (!record) return one;
      const { agreed_at, version, sha256 } = record;
      const known = wordingsOf(field).get(sha256);
      const wording = known ? withoutLinks(known.label) : translate({ code: 'consent_earlier' });
      const time = momentWords(Date.parse(agreed_at), undefined);
      return [
        ...(wording === shown ? [] : [wording]),
        translate({ code: 'consent_agreed', params: { time } }),
        ...(version === undefined ? [] : [translate({ code: 'consent_version', params: { version } })]),
        translate({ code: 'consent_fingerprint', params: { hash: sha256.slice(0, shownDigits) } }),
      ].join('\n');
    }),
  control: (field, state) => tickBox(field, hashOf(state.locale.text(field.label)), state),
});

const shownDigits = 12;

interface Consented {
  readonly agreed_at: string;
  readonly version?: string;
  readonly language: string;
  readonly sha256: string;
}

/** `undefined` if the text is not a record. */
function recordIn(stored: string): Consented | undefined {
  const [, agreed_at, version, language, sha256] =
    /^agreed (\S+)(?:; version (.*))?; language (\S+); sha256:(\w+)$/.exec(stored) ?? [];
  if (agreed_at === undefined || language === undefined || sha256 === undefined) return undefined;
  return { agreed_at, ...(version !== undefined && { version }), language, sha256 };
}

const hashOf = (wording: string): string => createHash('sha256').update(wording).digest('hex');

interface Wording {
  /** `undefined` if the config has one wording for all languages. */
  readonly language: string | undefined;
  readonly label: string;
}

/** Cached by field, because every submission asks several times. */
const wordings = new WeakMap<object, ReadonlyMap<string, Wording>>();

/** The wordings of the label in each language of the form, by their hash. If several are equal, the first counts. */
function wordingsOf(field: { readonly label: LocalizedText }): ReadonlyMap<string, Wording> {
  const known = wordings.get(field);
  if (known) return known;
  const made = new Map<string, Wording>();
  const all = typeof field.label === 'string' ? [[undefined, field.label] as const] : field.label;
  for (const [language, label] of all) {
    const hash = hashOf(label);
    if (!made.has(hash)) made.set(hash, { language, label });
  }
  wordings.set(field, made);
  return made;
}

export const plugin: Plugin = {
  name: 'consent',
  fields: [consent],
  messages: {
    en: {
      consent_changed:
        'This text has changed since the form was opened. Read the new text (reload the page if you do not see it), then tick the box again.',
      consent_value: 'The page must send the value {value} for this checkbox.',
      consent_agreed: 'Agreed: {time}',
      consent_version: 'Version: {version}',
      consent_fingerprint: 'Fingerprint (SHA-256): {hash}…',
      consent_earlier: 'A wording that this form no longer has.',
    },
  },
};
