import type { Services } from '@form-relay/core/index';
import type { SignalInput } from '@form-relay/core/signal';
import type { Parsed, Properties } from '@form-relay/schema/schema';
import type { Model } from '../lists/model.ts';
import type { Lists } from '../lists/read_list.ts';
import type { Texts } from '../score/texts.ts';

export type { InputField, SignalInput } from '@form-relay/core/signal';

/** The services and memory that a signal uses besides its input. */
export interface SignalContext {
  readonly services: Services;
  /** The texts that the process remembers. */
  readonly texts: Texts;
}

/** A signal's answer; `undefined` if nothing speaks against the submission. */
export interface Found {
  /** Above 0, and up to 1: how much of its weight counts. */
  readonly score: number;
  /** In the owner's words, such as `3 links`: numbers, and names from the config. Never what was submitted. */
  readonly why: string;
  /** Caps its points below the mildest action but `observe` (`actions`), or below `drop`. Default: no cap. */
  readonly staysBelow?: 'actions' | 'drop';
  /** Forgets what it noted: the submission comes again. */
  readonly undo?: () => void;
}

/** A signal that found nothing, and noted something for later ones. */
export interface Noted {
  readonly undo: () => void;
}

/** A signal that could not score, since a list or a key is missing. Counts neither for nor against the sender. */
interface Unavailable {
  readonly silent: string;
}

/** A signal as a form uses it. */
export interface Signal {
  readonly name: string;
  /** How many points it counts at most. */
  readonly weight: number;
  /** The environment variables without which it says nothing. */
  readonly needs?: readonly string[] | undefined;
  /** The model that it weighs with. Absent: it has none. */
  readonly model?: SignalModel;
  score(seen: SignalInput, context: SignalContext): SignalResult;
}

interface SignalModel {
  /** The path of the model, relative to the config. */
  readonly path: string;
  /** `undefined`: it was not read. */
  readonly read: Model | undefined;
}

export type SignalResult = Found | Noted | Unavailable | undefined;

interface Definition<K extends Properties> {
  readonly name: string;
  /** A sentence for docs/reference.md. */
  readonly summary: string;
  /** The default weight. */
  readonly weight: number;
  /** Environment variables that it needs. */
  readonly needs?: readonly string[];
  /** The model that it weighs with. Default: none. */
  model?(keys: Parsed<K>, lists: Lists): SignalModel;
  /** The keys besides `weight`. */
  readonly keys?: K;
  /**
   * A map of its keys as an example, for a signal that cannot do without them. All others look also where the config
   * does not name them.
   */
  readonly example?: string;
  /** Reports a contradiction between its keys. */
  problem?(keys: Partial<Parsed<K>>): string | undefined;
  score(keys: Parsed<K>, lists: Lists): Signal['score'];
}

export interface SignalType extends Omit<Definition<Properties>, 'score' | 'model' | 'keys'> {
  readonly keys: Properties;
  make(weight: number, keys: Readonly<Record<string, unknown>>, lists: Lists): Signal;
}

export function signal<K extends Properties>(definition: Definition<K>): SignalType {
  const { name, model, score, keys: properties = {}, ...type } = definition;
  return {
    ...type,
    name,
    keys: properties,
    make: (weight, written, lists) => {
      const keys = written as Parsed<K>;
      return {
        name,
        weight,
        needs: definition.needs,
        ...(model && { model: model(keys, lists) }),
        score: score(keys, lists),
      };
    },
  };
}
