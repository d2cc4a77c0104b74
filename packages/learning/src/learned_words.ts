/** The words of a text that a model weighed most: for a person who may read the text, and computed when they ask. */

import type { Values } from '@form-relay/base/values';
import type { Form } from '@form-relay/core/form';
import type { Services } from '@form-relay/core/services';
import { featuresOf, mostCharacters, type Seeds, seedsOf } from '@form-relay/spam/lists/features';
import type { Model } from '@form-relay/spam/lists/model';
import type {} from '@form-relay/spam/score/index';
import { learnedKey } from '@form-relay/spam/signals/lists';
import { freeTexts } from '@form-relay/spam/signals/typed';

export interface SpokenWords {
  /** As they were typed, the weightiest first. */
  readonly spam: readonly string[];
  readonly ham: readonly string[];
}

/**
 * The words to which the form's model, as it is now, gives most weight. Visitors wrote these words, so they must not
 * reach a log. `undefined`: the form has no model, or one of another key.
 */
export function learnedWords(
  form: Form,
  values: Values,
  { env }: Pick<Services, 'env'>,
): SpokenWords | undefined {
  const model = form.provided.get('doubt')?.signals.find((one) => one.model)?.model?.read;
  const key = env(learnedKey) ?? '';
  if (!model || key === '') return undefined;
  const seeds = seedsOf(key);
  if (seeds.check !== model.check) return undefined;
  return spokenWords(model, freeTexts({ fields: form.fields, values }), seeds);
}

const mostForSpam = 8;
const mostForHam = 4;
/** Longer ones are sentences of a script without spaces. Models see such sentences in pieces of eight characters. */
const longestWord = 32;

/** The characters that `featuresOf` treats as letters and digits. */
const wordLike = /[\dA-Za-z\u00c0-\u1fff\u2070-\u2fff\u3040-\uffff]+/g;

/** A word weighs as much as itself, and the runs of characters in it, as far as the text has them. */
export function spokenWords({ weights }: Model, texts: readonly string[], seeds: Seeds): SpokenWords {
  const ofText = new Set(featuresOf(texts, seeds));
  const found = new Map<string, { readonly word: string; readonly weight: number }>();
  for (const word of texts.flatMap(wordsIn)) {
    const key = word.toLowerCase();
    if (found.has(key)) continue;
    let weight = 0;
    for (const feature of featuresOf([word], seeds))
      if (ofText.has(feature)) weight += weights[feature] as number;
    found.set(key, { word, weight });
  }
  const inOrder = [...found.values()].toSorted((one, other) => other.weight - one.weight);
  const wordsOf = (some: typeof inOrder, sign: number) =>
    some.filter(({ weight }) => weight * sign > 0).map(({ word }) => word);
  return {
    spam: wordsOf(inOrder, 1).slice(0, mostForSpam),
    ham: wordsOf(inOrder.toReversed(), -1).slice(0, mostForHam),
  };
}

const wordsIn = (text: string): readonly string[] =>
  (text.slice(0, mostCharacters).match(wordLike) ?? []).flatMap((word) =>
    word.length > longestWord ? (word.match(/.{1,8}/gsu) ?? []) : [word],
  );
