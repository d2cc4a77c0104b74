import { mapOrNothing, type RawMap, writtenForm } from '../features/feature.ts';
import { featureProblems, reservedNames } from '../features/index.ts';
import { fieldTypeOf } from '../fields/index.ts';
import type { Path } from '../schema/finding.ts';
import { type Finding, finding } from '../schema/finding.ts';
import { isMap } from '../schema/kinds.ts';
import { mostCandidates, nearest } from '../schema/suggestion.ts';
import { groupFindings } from './groups_and_steps.ts';

/**
 * Checks the keys of a form against each other (SPEC: Config-parse-time rejections). Reads the config as written, so
 * that these problems are told even where others keep the form from being parsed.
 */
export function crossChecks(id: string, form: unknown, top: unknown = {}): readonly Finding[] {
  if (!isMap(form)) return [];
  const fields = (Array.isArray(form.fields) ? form.fields : []).map(mapOrNothing);
  const outputs: readonly unknown[] = Array.isArray(form.outputs) ? form.outputs : [];
  const ofFields = fields.map(
    ({ visible_when: condition }, index): PlacedCondition => ({
      condition: mapOrNothing(condition),
      path: ['fields', index, 'visible_when'],
    }),
  );
  const ofOutputs = outputs.map(
    (output, index): PlacedCondition => ({
      condition: mapOrNothing(mapOrNothing(output).when),
      path: ['outputs', index, 'when'],
    }),
  );
  const ofCases = fields.flatMap(({ type, formula }, index) =>
    type === 'computed' && Array.isArray(formula)
      ? formula.map(
          (one, nth): PlacedCondition => ({
            condition: mapOrNothing(mapOrNothing(one).when),
            path: ['fields', index, 'formula', nth, 'when'],
          }),
        )
      : [],
  );
  const written = writtenForm(id, form, top);
  const reserved = reservedNames(written);
  // A field that has a name which nobody chose has to give way.
  const fixed = reserved.filter(({ path }) => !path);
  const chosen = reserved.filter(({ path }) => path);
  const names = fields.map(({ name }) => name);
  /** The first place of each name. */
  const placeOf = new Map(names.map((name, index): [unknown, number] => [name, index]).reverse());
  const findings = [
    ...duplicates(names, placeOf),
    ...fixed.flatMap(({ name, check }) => {
      const at = placeOf.get(name);
      if (at === undefined) return [];
      const place = ['fields', at, 'name'];
      return [
        check === 'page'
          ? finding('field_named_as_page', place, { name })
          : finding('field_named_as_check', place, { name, check }),
      ];
    }),
    ...chosen.flatMap(({ path = [], name, check }, index, all) => {
      if (names.includes(name)) return [finding('check_named_as_field', path, { name, check })];
      const earlier = [...fixed, ...all.slice(0, index)].find((other) => other.name === name);
      return earlier ? [finding('check_named_as_other', path, { name, check: earlier.check })] : [];
    }),
    ...undeclared([...ofFields, ...ofCases, ...ofOutputs], names, placeOf),
    ...undecided([...ofFields, ...ofCases], fields, placeOf),
    ...chains(ofFields, placeOf),
    ...comparisons([...ofFields, ...ofCases, ...ofOutputs], fields),
    ...onParts(ofOutputs, fields),
    ...fields.flatMap(({ type }, index) => fieldTypeOf(type)?.inForm?.(form, index, fields) ?? []),
    ...groupFindings(form, fields),
    ...outputs.flatMap((output, index) =>
      isTooLongForFolder(id, output)
        ? [finding('form_name_long_for_folder', ['outputs', index, 'type'])]
        : [],
    ),
    ...featureProblems(written),
  ];
  return findings.map((finding) => ({ ...finding, path: ['forms', id, ...finding.path] }));
}

/** The form's name is that of a folder there, percent-encoded: systems take 255 bytes. */
const isTooLongForFolder = (id: string, output: unknown) =>
  mapOrNothing(output).type === 'folder' &&
  id.replaceAll(/[^\w.~-]/gu, (one) => '%00'.repeat(Buffer.byteLength(one))).length > 255;

const nothing: RawMap = {};

type Places = ReadonlyMap<unknown, number>;

function duplicates(names: readonly unknown[], placeOf: Places): readonly Finding[] {
  return names.flatMap((name, index) =>
    isText(name) && placeOf.get(name) !== index
      ? [finding('field_twice', ['fields', index, 'name'], { name })]
      : [],
  );
}

interface PlacedCondition {
  readonly condition: RawMap;
  /** From the form. */
  readonly path: Path;
}

/** `visible_when` and `when` name a declared field. */
const undeclared = (
  conditions: readonly PlacedCondition[],
  names: readonly unknown[],
  placeOf: Places,
): readonly Finding[] =>
  conditions.flatMap(({ condition: { field: name }, path }) => {
    if (!isText(name) || placeOf.has(name)) return [];
    const near = nearest(name, names.slice(0, mostCandidates).filter(isText));
    return [finding('field_undeclared', [...path, 'field'], { name, near })];
  });

/**
 * Whether conditions of fields can ask for its value. Results depend on which fields are shown, and on which case counts;
 * what is sent under the name of a field of parts is ignored.
 */
export const decides = (type: unknown): boolean =>
  type !== 'computed' && fieldTypeOf(type)?.hasParts !== true;

const undecided = (
  conditions: readonly PlacedCondition[],
  fields: readonly RawMap[],
  placeOf: Places,
): readonly Finding[] =>
  conditions.flatMap(({ condition: { field }, path: around }) => {
    const { type } = fields[placeOf.get(field) ?? -1] ?? nothing;
    if (!isText(field) || decides(type)) return [];
    const path = [...around, 'field'];
    return type === 'computed'
      ? [finding('condition_on_computed', path)]
      : [finding('condition_on_parts', path, { field })];
  });

/** A longer chain is a mistake, and every submission has to follow it. */
const longestChain = 100;

/** Following the conditions between fields ends somewhere, soon. */
function chains(conditions: readonly PlacedCondition[], placeOf: Places): readonly Finding[] {
  const deciders = conditions.map(({ condition: { field } }) => field);
  return conditions.flatMap(({ condition, path: around }, index) => {
    if (!isText(condition.field) || !placeOf.has(condition.field)) return [];
    const path = [...around, 'field'];
    const seen = new Set([index]);
    for (let at = placeOf.get(condition.field); at !== undefined; at = placeOf.get(deciders[at] ?? null)) {
      if (at === index) return [finding('condition_circular', path)];
      if (seen.size > longestChain)
        return [finding('condition_chain_too_long', path, { most: longestChain })];
      if (seen.has(at)) return [];
      seen.add(at);
    }
    return [];
  });
}

/**
 * A condition must compare with values that the deciding field can hold. Any other value would show the field to nobody,
 * or to everybody, and would leave an output without its submissions. Empty text stands for no choice. Of each list only the first mistake is told, because there may
 * be very many.
 */
function comparisons(conditions: readonly PlacedCondition[], fields: readonly RawMap[]): readonly Finding[] {
  /** The first field of each name. */
  const fieldOf = new Map(fields.map((field): [unknown, RawMap] => [field.name, field]).reverse());
  const deciders = new Set(conditions.map(({ condition: { field } }) => field));
  const possibleOf = new Map(
    [...deciders].map((name) => {
      const possible = possibleValues(fieldOf.get(name));
      return [name, possible && { possible, held: new Set(['', ...possible]) }];
    }),
  );
  return conditions.flatMap(({ condition, path: around }) => {
    const { field: decider } = condition;
    if (fieldTypeOf(fieldOf.get(decider)?.type)?.takesFiles) return ofFiles(condition, around);
    const values = possibleOf.get(decider);
    if (!isText(decider) || !values) return [];
    const { possible, held } = values;
    return ['is', 'is_not'].flatMap((test) => {
      const wanted = condition[test];
      const compared = Array.isArray(wanted) ? wanted : [wanted];
      const at = compared.findIndex((value) => isText(value) && !held.has(value));
      if (at < 0) return [];
      const path = [...around, test, ...(compared === wanted ? [at] : [])];
      const some = possible.slice(0, mostCandidates);
      const [found, field] = [compared[at], decider];
      return [
        finding('condition_never_holds', path, { found, field, near: nearest(found, some), possible: some }),
      ];
    });
  });
}

/** Outputs get a field of parts as JSON, which no condition can equal. */
const onParts = (conditions: readonly PlacedCondition[], fields: readonly RawMap[]): readonly Finding[] =>
  conditions.flatMap(({ condition, path }) => {
    const { type } = fields.find(({ name }) => name === condition.field) ?? nothing;
    if (!isText(condition.field) || !fieldTypeOf(type)?.hasParts) return [];
    const field = condition.field;
    return ['is', 'is_not'].flatMap((test) =>
      test in condition
        ? [{ ...finding('condition_on_parts', [...path, test], { field }), aboutKey: true }]
        : [],
    );
  });

/** Visitors choose the names of files, so no condition can know them. */
const ofFiles = (condition: RawMap, around: Path): readonly Finding[] =>
  ['is', 'is_not']
    .filter((test) => test in condition)
    .map((test) => ({ ...finding('condition_on_files', [...around, test]), aboutKey: true }));

const isText = (value: unknown): value is string => typeof value === 'string';

/** All that a field takes, where its keys list it. */
const possibleValues = (field: RawMap = nothing): readonly string[] | undefined =>
  fieldTypeOf(field.type)?.possibleValues(field);
