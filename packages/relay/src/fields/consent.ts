import { createHash } from 'node:crypto';
import { momentWords } from '../messages/moment_words.ts';
import { finding } from '../schema/finding.ts';
import { optional, perLanguage, required, withDefault } from '../schema/keys.ts';
import { flag, label, name } from '../schema/kinds.ts';
import { withoutLinks } from '../schema/linked_text.ts';
import { fieldType } from './field_type.ts';
import { tickBox } from './tick_box.ts';

/**
 * The box sends the hash of the wording beside it. So the record tells what the visitor read, in which language, even
 * if the config has changed since: an older wording is not taken for the current one.
 */
export const consent = fieldType({
  type: 'consent',
  summary: 'A box to agree to something; outputs get which wording was agreed to, and when.',
  missing: { code: 'missing_tick' },
  layout: 'box',
  inJson: 'flag',
  keys: {
    label: required(
      'The wording that visitors agree to. It may hold links: `[words](https://…)`. Outputs get its SHA-256.',
      perLanguage(label()),
    ),
    required: withDefault('true', 'Whether the form cannot be sent without it.', flag()),
    version: optional(
      'The name of the wording, such as `3` or `2026-11`. It is recorded with the hash.',
      name(),
    ),
    from_query: withDefault('false', 'A link cannot tick the box.', flag()),
    remember: withDefault('false', 'A reload unticks the box.', flag()),
  },
  problems: ({ value, from_query, remember }) =>
    Object.entries({ value, from_query: from_query || undefined, remember: remember || undefined }).flatMap(
      ([key, given]) => (given === undefined ? [] : [finding('consent_given', [key])]),
    ),
  inLanguage: (_field, _say, _language, everywhere) => ({
    wordings: new Map(
      everywhere
        .map(([language, { label = '' }]) => [hashOf(label), { language, label }] as const)
        .toReversed(),
    ),
  }),
  usesZone: true,
  possibleValues: ({ label, wordings }) => [...new Set([hashOf(label), ...(wordings?.keys() ?? [])])],
  checkValue: (field, value) =>
    value === hashOf(field.label) || field.wordings?.has(value) ? undefined : { code: 'consent_changed' },
  check: (_, values) => (values.length > 1 ? { code: 'not_a_tick' } : undefined),
  stored: ({ version, wordings }, hash, { receivedAt }) =>
    [
      `agreed ${new Date(receivedAt).toISOString().slice(0, 19)}Z`,
      ...(version === undefined ? [] : [`version ${version}`]),
      `language ${wordings?.get(hash)?.language ?? 'en'}`,
      `sha256:${hash}`,
    ].join('; '),
  structured: (stored) => recordIn(stored) ?? stored,
  inWords: (stored, { wordings }, { say, zone, label }) => {
    const record = recordIn(stored);
    if (!record) return stored;
    const { agreed_at, version, sha256 } = record;
    const known = wordings?.get(sha256);
    const wording = known ? withoutLinks(known.label) : say({ code: 'consent_earlier' });
    return [
      ...(wording === label ? [] : [wording]),
      say({ code: 'consent_agreed', params: { time: momentWords(Date.parse(agreed_at), zone) } }),
      ...(version === undefined ? [] : [say({ code: 'consent_version', params: { version } })]),
      say({ code: 'consent_fingerprint', params: { hash: sha256.slice(0, shownDigits) } }),
    ].join('\n');
  },
  control: (field, state) => tickBox(field, hashOf(field.label), state),
});

const shownDigits = 12;

interface Consented {
  readonly agreed_at: string;
  readonly version?: string;
  readonly language: string;
  readonly sha256: string;
}

/** `undefined` if the text is no record. */
function recordIn(stored: string): Consented | undefined {
  const { groups } =
    /^agreed (?<agreed_at>\S+)(?:; version (?<version>.*))?; language (?<language>\S+); sha256:(?<sha256>\w+)$/.exec(
      stored,
    ) ?? {};
  return groups && ({ ...groups } as unknown as Consented);
}

const hashOf = (wording: string): string => createHash('sha256').update(wording).digest('hex');
