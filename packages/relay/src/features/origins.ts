import * as v from 'valibot';
import type { GateEvidence } from '../base/event.ts';
import { late, lateFunction } from '../base/late.ts';
import type { HeadStage } from '../form.ts';
import type { Schema } from '../schema/any_schema.ts';
import { finding } from '../schema/finding.ts';
import { optional } from '../schema/keys.ts';
import { choice, list, oneOf } from '../schema/kinds.ts';
import { type OriginPattern, originPattern } from '../schema/origin_pattern.ts';
import type { Origins } from './examine_origin.ts';
import { feature, mapOrNothing } from './feature.ts';

const examineOrigin = lateFunction(late(async () => (await import('./examine_origin.ts')).examineOrigin));

const someOrigins: Schema<readonly OriginPattern[] | undefined> = list(originPattern(), { least: 1 });

const anyOrigin: Schema<readonly OriginPattern[] | undefined> = v.pipe(
  v.literal('*'),
  v.transform((): undefined => undefined),
);

const originKeys = {
  origins: optional(
    'The origins of the pages on which the form may be filled in, such as `[https://example.com, "https://*.example.com"]`; beside them, the relay’s own. `"*"` is any (docs/spam.md).',
    oneOf([someOrigins, anyOrigin], (input) => (input === '*' ? anyOrigin : someOrigins)),
  ),
  origins_unknown: optional(
    'What becomes of a submission whose browser does not say from which page it comes, where `origins` are named: `allow`, `challenge` or `refuse`. Default: `allow`.',
    choice(['allow', 'challenge', 'refuse']),
  ),
};

export interface Keys {
  readonly origins?: readonly OriginPattern[] | undefined;
  readonly origins_unknown?: Origins['unknown'];
}

/** The form's own; `undefined`: any page may send it. */
export function originsAsked(form: Keys, top: Keys): Origins | undefined {
  const patterns = 'origins' in form ? form.origins : top.origins;
  return patterns && { patterns, unknown: form.origins_unknown ?? top.origins_unknown ?? 'allow' };
}

/**
 * A form is sent from the pages that its owner names (`origins`), and from the relay's own. That stops pages of others,
 * and programs that care for none of it; a program can say anything.
 */
export const origins = feature({
  name: 'origin',
  isForBrowsers: true,
  keys: { formAndTop: originKeys },
  check: { key: 'origin', isToldIfOn: true },
  settings: ({ form, top }: { readonly form: Keys; readonly top: Keys }) => originsAsked(form, top),
  problems: ({ form, top }) => {
    const origins = 'origins' in form ? form.origins : top.origins;
    return form.origins_unknown !== undefined && !areNamed(origins) ? [unused] : [];
  },
  problemsAtTop: ({ origins_unknown: unknown, origins, forms }) =>
    unknown === undefined ||
    [origins, ...Object.values(mapOrNothing(forms)).map((form) => mapOrNothing(form).origins)].some(areNamed)
      ? []
      : [unused],
  stages: (asked) => {
    const head: HeadStage = (arrival) => examineOrigin(asked, arrival);
    return { head, admit: head };
  },
  explain: (evidence: OriginEvidence) => {
    if (evidence.code === 'unlisted') return `sent from ${evidence.origin}, which is not among the origins`;
    return words[evidence.code === 'unknown' ? evidence.unknown : evidence.code];
  },
});

const words = {
  listed: 'sent from a page among the origins',
  own: 'sent from a page of the relay’s own origin',
  null: 'its browser hides from which page it comes (Origin: null)',
  absent: 'it does not say from which page it comes',
} as const;

type OriginEvidence = Extract<GateEvidence, { check: 'origin' }>;

/** `origins_unknown` says nothing where any page may send the form. */
const unused = finding('origins_unknown_unused', ['origins_unknown']);
const areNamed = (origins: unknown) => origins !== undefined && origins !== '*';
