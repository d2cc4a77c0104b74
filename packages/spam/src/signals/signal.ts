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

/** A signal's result; `undefined` if it found nothing. */
export interface Found {
  /** The share of its weight that counts: above 0, and at most 1. */
  readonly score: number;
  /** In the owner's words, such as `3 links`: numbers, and names from the config. Never quotes the submission. */
  readonly why: string;
  /** Caps its points below the mildest action except `observe` (`actions`), or below `drop`. Default: no cap. */
  readonly staysBelow?: 'actions' | 'drop';
  /** Undoes what the signal recorded, because the submission will be sent again. */
  readonly undo?: () => void;
}

/** A signal that found nothing, but recorded something for later submissions. */
export interface Noted {
  readonly undo: () => void;
}

/** A signal that could not score, because a list or a key is missing. Adds no points. */
interface Unavailable {
  readonly silent: string;
}

/** A signal as a form uses it. */
export interface Signal {
  readonly name: string;
  /** The maximum points. */
  readonly weight: number;
  /** The environment variables that it requires. */
  readonly needs?: readonly string[] | undefined;
  /** The signal's model, if it has one. */
  readonly model?: SignalModel;
  score(seen: SignalInput, context: SignalContext): SignalResult;
}

interface SignalModel {
  /** The path of the model, relative to the config. */
  readonly path: string;
  /** `undefined`: the model was not read. */
  readonly read: Model | undefined;
}

export type SignalResult = Found | Noted | Unavailable | undefined;

interface Definition<K extends Properties> {
  readonly name: string;
  /** A sentence for docs/reference.md. */
  readonly summary: string;
  /** The default weight. */
  readonly weight: number;
  /** Environment variables that it requires. */
  readonly needs?: readonly string[];
  /** The signal's model. Default: none. */
  model?(keys: Parsed<K>, lists: Lists): SignalModel;
  /** The keys besides `weight`. */
  readonly keys?: K;
  /** An example map of its keys, for a signal that requires keys. All other signals also apply if the config does not name them. */
  readonly example?: string;
  /** Reports keys that contradict each other. */
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
