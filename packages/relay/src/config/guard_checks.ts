/** What must hold between a form's keys against spam, as they are written (cross_checks.ts). */

import { doubtNames } from '../base/doubt.ts';
import { pageFields } from '../base/page_context.ts';
import { behaviourField } from '../features/behaviour.ts';
import { type Finding, finding, type NamedCheck, type Path } from '../schema/finding.ts';
import { isMap, isWrittenTrue } from '../schema/kinds.ts';
import { spamKeys } from './schema.ts';

type RawMap = Readonly<Record<string, unknown>>;

/** What a form says of spam, with what the top says for all. */
export interface Guards {
  /** The form's own. */
  readonly own: RawMap;
  /** The form's own before those at the top. */
  readonly spam: RawMap;
  readonly captcha: RawMap | undefined;
  /** Whether everybody may be asked for a proof, or those who are challenged. */
  readonly asks: { readonly all: boolean; readonly challenged: boolean };
}

export function guardsIn(form: RawMap, top: unknown): Guards {
  const above = mapOrNothing(top);
  const own = mapOrNothing(form.spam);
  const spam = { ...mapOrNothing(above.spam), ...own };
  const origins = 'origins' in form ? form.origins : above.origins;
  const unknown = form.origins_unknown ?? above.origins_unknown;
  return {
    own,
    spam,
    captcha: isMap(form.captcha) ? form.captcha : undefined,
    asks: {
      all: /^(true|auto)$/i.test(String(spam.proof_of_work)),
      challenged: does(spam.doubt, 'challenge') || (Array.isArray(origins) && unknown === 'challenge'),
    },
  };
}

const mapOrNothing = (written: unknown): RawMap => (isMap(written) ? written : {});

const does = (doubt: unknown, action: string) => (isMap(doubt) ? action in doubt : doubt === action);

interface TakenName {
  readonly name: string;
  readonly check: NamedCheck;
}

/** One that the config chooses, or could. */
export interface ReservedName extends TakenName {
  readonly path: Path;
}

/** Nobody chose these, so a field that has one needs another. */
export function fixedNames({ page }: RawMap, { spam }: Guards): readonly TakenName[] {
  const named = (names: readonly string[], check: NamedCheck) =>
    names.map((name): TakenName => ({ name, check }));
  const isDoubted = spam.doubt !== undefined && spam.doubt !== 'off';
  return [
    ...(isWrittenTrue(page) ? named(Object.values(pageFields), 'page') : []),
    ...(isWrittenTrue(spam.behaviour) ? named([behaviourField], 'behaviour') : []),
    ...(isDoubted ? named(Object.values(doubtNames), 'doubt') : []),
  ];
}

export function proofNames({ own, spam, asks }: Guards): readonly ReservedName[] {
  if (!asks.all && !asks.challenged) return [];
  const { proof_field: field = 'altcha' } = spam;
  const named: [string, unknown, NamedCheck][] = [['proof_field', field, 'proof']];
  // A form with a spam block of its own has reserved it.
  if (Object.keys(own).length === 0) named.push(['token_field', spamKeys.token_field.default, 'token']);
  return named.flatMap(([key, name, check]) =>
    typeof name === 'string' ? [{ path: ['spam', key], name, check }] : [],
  );
}

/** Where any page may send a form, it does not matter which one it was. */
export function originFindings(form: RawMap, top: unknown): readonly Finding[] {
  const origins = 'origins' in form ? form.origins : mapOrNothing(top).origins;
  const isUnused = form.origins_unknown !== undefined && (origins === undefined || origins === '*');
  return isUnused ? [finding('origins_unknown_unused', ['origins_unknown'])] : [];
}

/** The same for what stands at the top, which is for the forms that name origins. */
export function originFindingsAtTop(config: unknown): readonly Finding[] {
  if (!isMap(config) || config.origins_unknown === undefined) return [];
  const isUsed = [config, ...Object.values(mapOrNothing(config.forms)).map(mapOrNothing)].some(
    ({ origins }) => origins !== undefined && origins !== '*',
  );
  return isUsed ? [] : [finding('origins_unknown_unused', ['origins_unknown'])];
}

export const guardFindings = (guards: Guards): readonly Finding[] => [
  ...tooFastFindings(guards),
  ...challengeFindings(guards),
  ...keysOfNobody(guards),
];

/** Something must be too fast, and a mark must say so. */
function tooFastFindings({ own, spam }: Guards): readonly Finding[] {
  const path = ['spam', 'too_fast'];
  if (own.too_fast !== undefined && own.min_fill_seconds === undefined)
    return [{ ...finding('too_fast_without_min_fill', path), aboutKey: true }];
  return own.too_fast === 'doubt' && !does(spam.doubt, 'tag') ? [finding('too_fast_without_tag', path)] : [];
}

/** Whoever is to solve a captcha must be shown it, and not have solved it already. */
function challengeFindings({ own, spam, captcha, asks }: Guards): readonly Finding[] {
  const inDoubtOnly = isWrittenTrue(captcha?.only_in_doubt);
  const isMeant = spam.challenge === 'captcha' || (spam.challenge === undefined && inDoubtOnly);
  if (!isMeant || !asks.challenged) return [];
  const lacks = !captcha ? 'captcha' : !inDoubtOnly ? 'only_in_doubt' : 'site_key';
  if (lacks === 'site_key' && captcha?.site_key !== undefined) return [];
  const path = own.challenge === undefined && captcha ? ['captcha', 'only_in_doubt'] : ['spam', 'challenge'];
  return [finding('challenge_without_captcha', path, { lacks })];
}

/** Keys that say how to ask, where nothing asks. One that is switched off for a while keeps them. */
const keysOfNobody = ({ own, asks }: Guards): readonly Finding[] =>
  asks.all || asks.challenged || own.proof_of_work !== undefined || own.doubt !== undefined
    ? []
    : ['proof_field', 'without_script', 'challenge']
        .filter((key) => own[key] !== undefined)
        .map((key) => ({ ...finding('challenge_of_nobody', ['spam', key], { key }), aboutKey: true }));
