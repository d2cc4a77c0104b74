/** The shape of a feature. One file or folder each, and features/index.ts lists them in the order of their stages. */
import type * as v from 'valibot';
import type { DoubtAction } from '../base/doubt.ts';
import type {
  Answers,
  FeatureRoute,
  FeatureSettings,
  Form,
  ServersStage,
  Stages,
  TurnedAway,
} from '../form.ts';
import type { PlacedTemplate } from '../outputs/output.ts';
import { type Finding, finding, type NamedCheck, type Path } from '../schema/finding.ts';
import { flagMeantBy, isMap, isWrittenTrue } from '../schema/kinds.ts';
import type { Lists } from '../schema/lists/list.ts';

/** The stages that a feature adds. */
export interface OwnStages {
  readonly head?: Stages['head'][number];
  /** The same before a step is checked: it counts nothing. */
  readonly admit?: NonNullable<Stages['admit']>;
  readonly read?: NonNullable<Stages['read']>;
  readonly fixed?: NonNullable<Stages['fixed']>;
  /** Looks at what was typed, before validation. */
  readonly check?: Stages['way'][number];
  /** Looks at what passed validation, before the delivery. */
  readonly accept?: Stages['way'][number];
  readonly foresee?: Stages['foresee'][number];
  readonly reserve?: NonNullable<Stages['reserve']>;
  readonly owed?: NonNullable<Stages['owed']>;
  readonly isBlocked?: NonNullable<Stages['isBlocked']>;
  readonly delivered?: Stages['delivered'][number];
  readonly receipt?: NonNullable<Stages['receipt']>;
  readonly turnedAway?: (turned: TurnedAway) => Promise<void> | undefined;
  readonly servers?: ServersStage;
}

export interface OwnAnswers {
  readonly add?: Answers['additions'][number];
  readonly policy?: Answers['policies'][number];
  readonly needsTokenSecret?: true;
  readonly dropsAs?: NonNullable<Answers['dropsAs']>;
  readonly challenged?: NonNullable<Answers['challenged']>;
  readonly renewal?: NonNullable<Answers['renewal']>;
  readonly shows?: Answers['shows'][number] | undefined;
  readonly filling?: NonNullable<Answers['filling']>;
}

/** The places of features' keys: a form, its `spam`, both a form and the top of the file, or the `spam` of both. */
export type KeyRoom = 'form' | 'spam' | 'formAndTop' | 'spamAndTop';

export type FeatureKeys = { readonly [R in KeyRoom]?: v.ObjectEntries };

/** The part of a config that features read. `P`: the keys of the form that a feature reads, `T`: those at the top, `G`: those of `spam`. */
export interface Asked<P, T, G> {
  readonly form: P;
  readonly top: T;
  /** The form's `spam` before that at the top. */
  readonly guards: G;
  /** Lists of the owner's, which the config names. */
  readonly lists: Lists;
}

export type RawMap = Readonly<Record<string, unknown>>;

const nothing: RawMap = {};
export const mapOrNothing = (written: unknown): RawMap => (isMap(written) ? written : nothing);

/** A form as it is written, which may have any mistake. */
export interface WrittenForm {
  readonly id: string;
  readonly form: RawMap;
  readonly top: RawMap;
  /** The form's `spam` alone. */
  readonly ownSpam: RawMap;
  /** The form's `spam` before that at the top. */
  readonly spam: RawMap;
}

export function writtenForm(id: string, form: RawMap, top: unknown): WrittenForm {
  const above = mapOrNothing(top);
  const ownSpam = mapOrNothing(form.spam);
  return { id, form, top: above, ownSpam, spam: { ...mapOrNothing(above.spam), ...ownSpam } };
}

/** A name under which a check reads and strips what is sent. No field and no other check can have it. */
export interface ReservedName {
  readonly name: string;
  readonly check: NamedCheck;
  /** The key that chooses it, from the form; absent from names that are fixed, so that a field has to give way. */
  readonly path?: Path;
}

/** An environment variable that a form cannot do without, and the key that needs it. */
export interface Need {
  readonly name: string;
  /** From the form, unless `isAtTop`. */
  readonly path: Path;
  readonly isAtTop?: boolean;
  /** It holds the key of a server that sends. */
  readonly isKey?: boolean;
}

interface Definition<S, P, T, G> {
  readonly name: string;
  /** It is meant for browsers: servers that send with a key skip it. */
  readonly isForBrowsers?: true;
  /** For checks: the key that asks for it, and whether a submission's story names it only if it is on. */
  readonly check?: { readonly key: string; readonly isToldIfOn?: boolean };
  /** The settings in a form; `undefined` if it does not use the feature. `before`: those of features listed earlier. */
  settings(asked: Asked<P, T, G>, before: FeatureSettings): S | undefined;
  /** The names of the fields that only the feature reads. No output gets them (SPEC: Submission rules 1 to 3). */
  readonly names?: (settings: S) => readonly string[];
  /** The same names, as far as they are known of a form as it is written. */
  readonly reserves?: (written: WrittenForm) => readonly ReservedName[];
  /** Mistakes between keys of a form as it is written; their paths begin at the form. */
  readonly problems?: (written: WrittenForm) => readonly Finding[];
  /** The same between keys of the whole config. `parsed`: the config, if each of its keys is right. */
  readonly problemsAtTop?: (config: RawMap, parsed: never) => readonly Finding[];
  /** The names under which the relay alone says something. */
  readonly ownNames?: readonly string[];
  /** The field whose value it sends a mail to. */
  readonly mailsTo?: (settings: S) => string;
  readonly stages?: (settings: S, features: FeatureSettings) => OwnStages;
  readonly answers?: (settings: S, features: FeatureSettings) => OwnAnswers;
  readonly routes?: readonly FeatureRoute[];
  readonly needs?: (settings: S) => readonly Need[];
  readonly templates?: (settings: S) => readonly PlacedTemplate[];
  /** Findings about a config that loads, and probably isn't meant that way. `now`: for those about time. */
  readonly warnings?: (settings: S, form: Form, now: number | undefined) => readonly Finding[];
  /** Puts the evidence of its check into words, for the log and the story of a submission. */
  readonly explain?: (evidence: never) => string;
}
export interface Feature<S, P = object, T = object, G = object, K = FeatureKeys>
  extends Definition<S, P, T, G> {
  readonly keys: K;
  /** The settings in a form; `undefined` if it does not use the feature. */
  of(form: Pick<Form, 'features'>): S | undefined;
  in(features: FeatureSettings): S | undefined;
}

export function feature<S, P = object, T = object, G = object, K extends FeatureKeys = object>(
  definition: Definition<S, P, T, G> & { readonly keys?: K },
): Feature<S, P, T, G, K> {
  const inAll = (features: FeatureSettings) => features.get(definition.name) as S | undefined;
  return {
    ...definition,
    keys: definition.keys ?? ({} as K),
    of: ({ features }) => inAll(features),
    in: inAll,
  };
}

/** Reports a name of a field that was meant as `true` or `false`. */
export function namedAsFlag(key: string, found: string, check: 'honeypot' | 'min_fill'): readonly Finding[] {
  const flag = flagMeantBy(found);
  return flag ? [finding('check_named_as_flag', ['spam', key], { found, isOn: flag === 'true', check })] : [];
}

interface Guards {
  readonly signals?: ReadonlyMap<string, unknown> | undefined;
}

/** A form's `spam` over that at the top of the file, with their signals merged by name. */
export function guardsOf<G extends Guards>(own: G | undefined, shared: G | undefined): Partial<G> {
  const guards = { ...shared, ...own } as Partial<G>;
  const isBoth = own?.signals && shared?.signals;
  return isBoth ? { ...guards, signals: new Map([...shared.signals, ...own.signals]) } : guards;
}

/** Whether `doubt`, as it is written, names an action. */
export const doubtDoes = (doubt: unknown, action: DoubtAction): boolean =>
  isMap(doubt) ? action in doubt : doubt === action;

interface Optional {
  readonly why: 'conditional' | 'optional';
  readonly path: Path;
  readonly aboutKey: boolean;
}

/** Why visitors may leave a field empty, as it is written, and where to mend that. */
export function optionalAt(field: Readonly<Record<string, unknown>>, path: Path): Optional | undefined {
  if ((field.visible_when ?? null) !== null)
    return { why: 'conditional', path: [...path, 'visible_when'], aboutKey: true };
  return isWrittenTrue(field.required) ? undefined : { why: 'optional', path, aboutKey: false };
}

/** A span of time for people: `1.5 s`, `10 min`, `2 h`. */
export function timeInWords(ms: number): string {
  if (ms >= 3_600_000) return `${round(ms / 3_600_000)} h`;
  return ms >= 120_000 ? `${round(ms / 60_000)} min` : `${round(ms / 1_000)} s`;
}

const round = (amount: number) => Math.round(amount * 10) / 10;
