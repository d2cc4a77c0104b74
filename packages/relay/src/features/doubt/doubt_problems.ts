/** Mistakes and warnings between a form's signals and its `doubt`. */
import { type SignalWeight, tooFastPoints } from '../../base/doubt.ts';
import { type Finding, finding, type Path } from '../../schema/finding.ts';
import { isMap } from '../../schema/kinds.ts';
import { guardsOf } from '../feature.ts';
import type { Doubt } from './examine.ts';
import { signalTypes } from './signals/index.ts';

/** The signals of a form, or of the top of the file. */
export interface Guards {
  readonly signals?: ReadonlyMap<string, SignalWeight> | undefined;
  readonly doubt?: Doubt['thresholds'] | undefined;
}

interface Guarded {
  readonly spam?: (Guards & { readonly too_fast?: 'drop' | 'doubt' | undefined }) | undefined;
}

export interface Parsed extends Guarded {
  readonly forms: ReadonlyMap<string, Guarded>;
}

/** How many points each signal of a form may count: those that need nothing, and those that its config names. */
export const weightsOf = ({ signals }: Guards) =>
  signalTypes.flatMap((type) => {
    const own = signals?.get(type.name);
    const weight = own?.weight ?? (own || type.isDefault ? type.weight : 0);
    return weight > 0 ? [{ type, weight, keys: own?.keys ?? {} }] : [];
  });

/** @param parsed The same, if its keys are fine. */
export const signalProblems = (config: unknown, parsed: Parsed | undefined): readonly Finding[] => [
  ...places(config).flatMap(({ spam, path }) => emptyBlocklist(spam, path)),
  ...(parsed ? [...outOfReach(config, parsed), ...afterDrop(parsed), ...tooFastDrops(parsed)] : []),
];

/** Everything that says something of spam: the top, and forms. */
function places(config: unknown): readonly { readonly spam: RawMap; readonly path: Path }[] {
  if (!isMap(config)) return [];
  const forms = isMap(config.forms) ? Object.entries(config.forms) : [];
  return [
    ...(isMap(config.spam) ? [{ spam: config.spam, path: ['spam'] }] : []),
    ...forms.flatMap(([id, form]) =>
      isMap(form) && isMap(form.spam) ? [{ spam: form.spam, path: ['forms', id, 'spam'] }] : [],
    ),
  ];
}

type RawMap = Readonly<Record<string, unknown>>;

function emptyBlocklist({ signals }: RawMap, path: Path): readonly Finding[] {
  const blocklist = isMap(signals) ? signals.blocklist : undefined;
  const isEmpty = isMap(blocklist) && Object.keys(blocklist).every((key) => key === 'weight');
  return isEmpty && Number(blocklist.weight) !== 0
    ? [finding('blocklist_without_lists', [...path, 'signals', 'blocklist'])]
    : [];
}

/** Reports a mistake at the top of the file once, for the first form that has it. */
function outOfReach(config: unknown, { spam: shared, forms }: Parsed): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const [id, { spam: own }] of forms) {
    const { doubt = [], ...guards } = guardsOf(own, shared);
    if (doubt.length === 0) continue;
    const haste = own?.too_fast === 'doubt' ? tooFastPoints(doubt) : 0;
    const points = weightsOf(guards).reduce((sum, { weight }) => sum + weight, haste);
    const most = Math.round(points * 10) / 10;
    const place = own?.doubt ? ['forms', id, 'spam', 'doubt'] : ['spam', 'doubt'];
    const at = own?.signals && !own.doubt ? ['forms', id, 'spam', 'signals'] : place;
    for (const { action, from } of doubt) {
      // The log has the points of each submission, however few.
      if (from <= most || (action === 'observe' && most > 0)) continue;
      const isMapOfThem = at === place && isMap(valueAt(config, place));
      const one = finding('doubt_out_of_reach', isMapOfThem ? [...at, action] : at, { action, from, most });
      found.set(JSON.stringify(one.path), one);
    }
  }
  return [...found.values()];
}

/** A higher threshold than that of `drop` never applies. */
function afterDrop({ spam, forms }: Parsed): readonly Finding[] {
  const found = (doubt: Doubt['thresholds'] = [], path: Path) => {
    const dropped = doubt.find(({ action }) => action === 'drop')?.from ?? Infinity;
    return doubt.flatMap(({ action, from }) =>
      from > dropped ? [finding('doubt_after_drop', [...path, action], { action, from, dropped })] : [],
    );
  };
  return [
    ...found(spam?.doubt, ['spam', 'doubt']),
    ...[...forms].flatMap(([id, { spam }]) => found(spam?.doubt, ['forms', id, 'spam', 'doubt'])),
  ];
}

/** `too_fast: doubt` alone never drops anything. */
const tooFastDrops = ({ spam: shared, forms }: Parsed): readonly Finding[] =>
  [...forms].flatMap(([id, { spam }]) => {
    if (spam?.too_fast !== 'doubt') return [];
    const thresholds = spam.doubt ?? shared?.doubt ?? [];
    const points = tooFastPoints(thresholds);
    const drop = thresholds.find(({ action }) => action === 'drop')?.from ?? Infinity;
    return points >= drop
      ? [finding('too_fast_drops', ['forms', id, 'spam', 'too_fast'], { points, drop })]
      : [];
  });

const valueAt = (config: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, key) => (isMap(value) ? value[String(key)] : undefined), config);

/** @param config As written. */
export function signalWarnings(config: unknown): readonly Finding[] {
  const all = places(config);
  const shared = all.find(({ path }) => path.length === 1)?.spam ?? {};
  return all
    .flatMap(({ spam, path }) => warningsAt(spam, path, path.length > 1 ? { ...shared, ...spam } : undefined))
    .map((one) => ({ ...one, severity: 'warning' }));
}

/** @param form What holds in the form. What stands at the top, forms may complete. */
function warningsAt({ signals }: RawMap, path: Path, form: RawMap | undefined): readonly Finding[] {
  const at = [...path, 'signals'];
  if (!isMap(signals)) return [];
  const isOff = form && (form.doubt === undefined || form.doubt === 'off');
  return isOff ? [finding('signals_without_doubt', at)] : [];
}
