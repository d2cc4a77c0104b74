/** The keys `signals` and `doubt` of a form's `spam` and of the top-level `spam`. */

import type { Plugin, TopContext } from '@form-relay/core/index';
import type { SignalType } from '@form-relay/core/signal';
import { object } from '@form-relay/schema/collections';
import type { Diagnostics } from '@form-relay/schema/diagnostics';
import { number, oneOf } from '@form-relay/schema/scalars';
import { isMap, jsonSchemaOf, optional, type Schema, schema } from '@form-relay/schema/schema';
import { signalTypes } from '../signals/index.ts';
import { pluginSignal } from '../signals/plugin_signals.ts';
import type { SignalType as OwnSignal } from '../signals/signal.ts';
import {
  fromOf,
  type ScoreAction,
  type SignalWeight,
  type SpamBlock,
  scoreActions,
  type Threshold,
  thresholdsOf,
  tooFastPoints,
} from './marks.ts';

const points = () => number({ least: 0, most: 100 });
const off = { title: '0', enum: [0, '0'] };

/** A number, or a map with the signal's keys. */
function weightOf(type: AnySignal): Schema<SignalWeight> {
  const bare = points();
  const whole = object(
    {
      weight: optional(`Maximum points. Default: ${type.weight}.`, points()),
      ...type.keys,
    },
    type.example,
    (keys, at) => {
      const problem = keys.weight === 0 || !('problem' in type) ? undefined : type.problem?.(keys);
      if (problem) at.error(problem);
    },
  );
  // A signal that requires keys can still be turned off by a number.
  const needsMap = (value: unknown) => type.example !== undefined && Number(value) !== 0;
  return schema(
    () => ({ anyOf: [type.example === undefined ? jsonSchemaOf(bare) : off, jsonSchemaOf(whole)] }),
    (value, at) => {
      if (isMap(value) || needsMap(value)) {
        const read = whole(value, at);
        if (!read) return undefined;
        const { weight, ...keys } = read;
        return { weight: typeof weight === 'number' ? weight : undefined, keys };
      }
      const weight = bare(value, at);
      const keys = weight === 0 ? {} : whole({}, at);
      return weight === undefined ? undefined : keys && { weight, keys };
    },
  );
}

/** A built-in signal, or one from a plug-in. */
type AnySignal = OwnSignal | SignalType;

export const signalsOf = (plugins: readonly Plugin[]): readonly SignalType[] =>
  plugins.flatMap(({ signals = [] }) => signals);

function signalsSchema(types: readonly AnySignal[]): Schema<ReadonlyMap<string, SignalWeight>> {
  const weights = object({
    ...Object.fromEntries(types.map((type) => [type.name, optional(type.summary, weightOf(type))])),
  });
  return schema(
    () => jsonSchemaOf(weights),
    (value, at) => {
      const read = weights(value, at);
      return (
        read && new Map(Object.entries(read).flatMap(([name, one]) => (one ? [[name, one] as const] : [])))
      );
    },
    weights,
  );
}

/** Default threshold of each action, in points. */
const defaultThresholds: Readonly<Record<ScoreAction, number>> = {
  observe: 4,
  tag: 4,
  challenge: 5,
  aside: 8,
  drop: 15,
};

const inOrder = (all: readonly Threshold[]): readonly Threshold[] =>
  all.toSorted(
    (one, other) =>
      other.from - one.from || scoreActions.indexOf(other.action) - scoreActions.indexOf(one.action),
  );

const oneAction = oneOf([...scoreActions, 'off']);
const threshold = () => number({ least: 0.1, most: 1_000 });
const severalActions = object({
  observe: optional('Only log it.', threshold()),
  tag: optional('Deliver it with a mark.', threshold()),
  aside: optional('Deliver it only to outputs with `aside`.', threshold()),
  challenge: optional('Ask visitors to prove that they are human.', threshold()),
  drop: optional('Drop it, and thank the sender.', threshold()),
});

const doubt: Schema<readonly Threshold[]> = schema(
  () => ({ anyOf: [jsonSchemaOf(oneAction), jsonSchemaOf(severalActions)] }),
  (value, at) => {
    if (isMap(value)) {
      const read = severalActions(value, at);
      return (
        read &&
        inOrder(
          scoreActions.flatMap((action) => {
            const from = read[action];
            return from === undefined ? [] : [{ action, from, isKey: true }];
          }),
        )
      );
    }
    const action = oneAction(value, at);
    if (action === undefined || action === 'off') return action && [];
    return [{ action, from: defaultThresholds[action] }];
  },
);

/** The config keys, including the signals of these plug-ins. */
export const scoreKeys = (plugins: readonly Plugin[] = []) => ({
  signals: optional(
    'Points for each signal of spam; 0 turns a signal off. Weights of a form override those at the top (docs/signals.md).',
    signalsSchema([...signalTypes, ...signalsOf(plugins)]),
  ),
  doubt: optional(
    `Action for submissions that look like spam, or several actions, each from a number of points: \`{tag: 4, challenge: 8}\` (docs/doubt.md).`,
    doubt,
  ),
});

/** The plug-ins' signals that the config names. */
export const pluginSignalsOf = (signals: ReadonlyMap<string, SignalWeight>, types: readonly SignalType[]) =>
  types.flatMap((type) => {
    const own = signals.get(type.name);
    const weight = own?.weight ?? type.weight;
    return own && weight > 0 ? [pluginSignal(type, weight, own.keys)] : [];
  });

/** The maximum points of each signal: those that require no keys, and those that the config names. */
export const weightsOf = (signals: ReadonlyMap<string, SignalWeight> | undefined) =>
  signalTypes.flatMap((type) => {
    const own = signals?.get(type.name);
    const weight = own?.weight ?? (own || type.example === undefined ? type.weight : 0);
    return weight > 0 ? [{ type, weight, keys: own?.keys ?? {} }] : [];
  });

/** The form's signals override the top-level ones, by name. */
export const mergedSignals = (own: SpamBlock, shared: SpamBlock): ReadonlyMap<string, SignalWeight> =>
  new Map([...(shared.signals ?? []), ...(own.signals ?? [])]);

export function checkConfig(at: Diagnostics, { topSpam, forms, plugins }: TopContext): void {
  for (const { name } of signalsOf(plugins))
    if (signalTypes.some((own) => own.name === name))
      at.in('plugins').error(`a plug-in adds the signal "${name}", which the relay has; choose another name`);
  checkDrop(topSpam, at);
  for (const [id, form] of forms) {
    const place = at.in('forms', id);
    const spam: SpamBlock = form.spam ?? {};
    checkDrop(spam, place);
    checkHaste(spam, topSpam, place);
    checkOutputs(id, form.outputs, spam, topSpam, at);
  }
}

/** An action with a higher threshold than `drop` would never apply. */
function checkDrop({ doubt = [] }: SpamBlock, at: Diagnostics): void {
  const dropped = fromOf(doubt, 'drop');
  for (const { action, from } of doubt)
    if (from > dropped)
      at.in('spam', 'doubt', action).error(
        `${action} applies from ${from} points, but drop already from ${dropped}; use the larger number for drop`,
      );
}

/** `too_fast: doubt` must never drop a submission by itself. */
function checkHaste(spam: SpamBlock, topSpam: SpamBlock, at: Diagnostics): void {
  const thresholds = thresholdsOf(spam, topSpam);
  const [points, drop] = [tooFastPoints(thresholds), fromOf(thresholds, 'drop')];
  if (spam.too_fast === 'doubt' && points >= drop)
    at.in('spam', 'too_fast').error(
      `a submission sent too fast gets the ${points} points of tag, and drop applies from ${drop}: all of them would be dropped; use a larger number for drop`,
    );
}

/** Both quarantined and other submissions need an output that accepts them. */
function checkOutputs(
  id: string,
  outputs: unknown,
  spam: SpamBlock,
  topSpam: SpamBlock,
  at: Diagnostics,
): undefined {
  if (!Array.isArray(outputs) || outputs.length === 0) return undefined;
  const form = at.in('forms', id);
  const asides = outputs.map((output) => (isMap(output) ? output.aside : undefined) ?? 'never');
  if (asides.every((aside) => aside === 'only'))
    return form
      .in('outputs')
      .error(
        'all outputs get only submissions set aside, so other submissions reach no output; write `aside: also` in one, or remove aside',
      );
  const aside = thresholdsOf(spam, topSpam).find(({ action }) => action === 'aside');
  if (!aside || asides.some((one) => one !== 'never')) return undefined;
  const place = (spam.doubt ? form : at).in('spam', 'doubt');
  return (aside.isKey ? place.in('aside') : place).error(
    `no output of ${id} receives submissions set aside; add \`aside: only\` or \`aside: also\` to one`,
  );
}
