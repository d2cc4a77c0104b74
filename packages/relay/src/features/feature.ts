/** The shape of a feature. One file or folder each, and features/index.ts lists them in the order of their stages. */

import type { FeatureSettings, Form, Stages } from '../form.ts';
import type { PlacedTemplate } from '../outputs/output.ts';
import type { Path } from '../schema/finding.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { flagMeantBy } from '../schema/kinds.ts';
import type { Lists } from '../schema/lists/list.ts';

/** What one feature adds to the way of a form's submissions. */
export interface OwnStages {
  readonly head?: Stages['head'][number];
  readonly read?: NonNullable<Stages['read']>;
  /** Of what was typed, before it is validated. */
  readonly check?: Stages['way'][number];
  /** Of what passed validation, before it is delivered. */
  readonly accept?: Stages['way'][number];
  readonly owed?: NonNullable<Stages['owed']>;
  readonly delivered?: Stages['delivered'][number];
  readonly receipt?: NonNullable<Stages['receipt']>;
}

/** What a config says of a form. `P`: the keys of the form that a feature reads, `T`: those at the top, `G`: those of `spam`. */
export interface Asked<P, T, G> {
  readonly form: P;
  readonly top: T;
  /** The form's `spam` before that at the top. */
  readonly guards: G;
  /** Lists of the owner's, which the config names. */
  readonly lists: Lists;
}

/** An environment variable that a form cannot do without, and the key that needs it. */
export interface Need {
  readonly name: string;
  /** From the form, unless `isAtTop`. */
  readonly path: Path;
  readonly isAtTop?: boolean;
}

interface Definition<S, P, T, G> {
  readonly name: string;
  /** Of a check: the key that asks for it, and whether a submission's story names it only if it is on. */
  readonly check?: { readonly key: string; readonly isToldIfOn?: boolean };
  /** What the form asks of it; `undefined`: nothing. */
  settings(asked: Asked<P, T, G>): S | undefined;
  /** The names of the fields that only the feature reads. No output gets them (SPEC: Submission rules 1 to 3). */
  readonly names?: (settings: S) => readonly string[];
  /** The names under which the relay alone says something. */
  readonly ownNames?: readonly string[];
  /** `of`: what the form asks of other features. */
  readonly stages?: (settings: S, features: FeatureSettings) => OwnStages;
  readonly needs?: (settings: S) => readonly Need[];
  /** Templates of the owner's that it renders. */
  readonly templates?: (settings: S) => readonly PlacedTemplate[];
  /** What loads, yet is probably not what the owner meant. */
  readonly warnings?: (settings: S, form: Form) => readonly Finding[];
}

/** A feature of forms. */
export interface Feature<S, P = object, T = object, G = object> extends Definition<S, P, T, G> {
  /** What a form asks of it; `undefined`: nothing. */
  of(form: Pick<Form, 'features'>): S | undefined;
  in(features: FeatureSettings): S | undefined;
}

export function feature<S, P = object, T = object, G = object>(
  definition: Definition<S, P, T, G>,
): Feature<S, P, T, G> {
  const inAll = (features: FeatureSettings) => features.get(definition.name) as S | undefined;
  return { ...definition, of: ({ features }) => inAll(features), in: inAll };
}

/** The name of a field that somebody wrote who thought to switch something on. */
export function namedAsFlag(key: string, found: string, check: 'honeypot' | 'min_fill'): readonly Finding[] {
  const flag = flagMeantBy(found);
  return flag ? [finding('check_named_as_flag', ['spam', key], { found, isOn: flag === 'true', check })] : [];
}
