/** Places in the config: their values, their fields, and what the relay says of them. */
import { computed } from '@preact/signals';
import type { Json, Path } from '../../../edit/model.ts';
import type { ProblemState } from '../../../src/state.ts';
import { pending } from '../../pending.ts';
import { type Choice, choicesAt, type SchemaNode } from '../../relay.ts';
import { type Field, fieldsIn, isMap, isScalar, valueAt } from '../../schema_nodes.ts';
import { config, state, written } from '../../store.ts';
import type { ChoiceProps } from './controls.tsx';

export const held = (path: Path): Json | undefined => valueAt(path, config.value.value);

/** As the relay writes a path in its messages (`formatPath` of packages/yaml/src/problem.ts). */
export const pathText = (path: Path): string =>
  path
    .map((segment, index) => {
      if (typeof segment === 'number') return `[${segment}]`;
      if (!/^[\p{L}\p{N}_-]+$/u.test(segment)) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join('');

/** The problems of the config as the builder shows it. */
const problems = computed(() => pending.value ?? state.value?.problems ?? []);

export const problemsAt = (path: Path): readonly ProblemState[] => {
  const text = pathText(path);
  return problems.value.filter((problem) => problem.path === text);
};

/** At the path or below it. */
export const problemsWithin = (path: Path): readonly ProblemState[] => {
  const text = pathText(path);
  return problems.value.filter(
    (problem) => problem.path.startsWith(text) && /^($|\.|\[)/.test(problem.path.slice(text.length)),
  );
};

/** A field among others. */
export const inWords = ({ name, label }: Pick<Field, 'name' | 'label'>): string =>
  label === name ? name : `${label} (${name})`;

/** The declared fields of the form `path` is in; none outside a form. */
export const fieldsOf = (path: Path): readonly Field[] => fieldsIn(path, config.value.value);

/** Whether it is not in the text yet. */
export const isPending = (path: Path): boolean =>
  pending.value !== undefined && held(path) !== undefined && valueAt(path, written.value.value) === undefined;

/** The path to remove so that no empty map stays; items of lists, forms and what is above them stay. */
export function emptiest(path: Path): Path {
  const parent = path.slice(0, -1);
  const isKept = typeof path.at(-1) === 'number' || typeof parent.at(-1) === 'number' || parent.length < 1;
  const isForm = parent[0] === 'forms' && parent.length <= 2;
  const value = held(parent);
  const isOnly = isMap(value) && Object.keys(value).length === 1;
  return !isKept && !isForm && isOnly ? emptiest(parent) : path;
}

export const isFlat = (value: Json | undefined) =>
  value === undefined ||
  value === null ||
  isScalar(value) ||
  (Array.isArray(value) && value.every((one) => isScalar(one)));

export const holdsTemplates = ({ additionalProperties: below }: SchemaNode) =>
  typeof below === 'object' && below.title === 'template';

export const typesOf = (node: SchemaNode): readonly string[] => [
  ...[node.type ?? []].flat(),
  ...(node.anyOf ?? []).flatMap(typesOf),
];

/** Lists of maps are not made by adding lines. */
export const holdsTexts = (node: SchemaNode): boolean =>
  (node.anyOf ?? []).some(holdsTexts) ||
  ([node.type ?? []].flat().includes('array') &&
    node.items?.properties === undefined &&
    node.items?.type !== 'object');

const regions = new Intl.DisplayNames('en', { type: 'region' });

/** The values that the schema lists there, in words: countries by their names, in order of these. */
export function named(path: Path): Pick<ChoiceProps, 'choices' | 'inWords' | 'descriptions'> {
  const all = choicesAt(path, config.value.value);
  const country = (value: Json) => (/^[A-Z]{2}$/.test(String(value)) && regions.of(String(value))) || '';
  const each = <T>(of: (one: Choice) => T) =>
    Object.fromEntries(all.map((one) => [String(one.value), of(one)]));
  return {
    choices: all
      .map(({ value }) => value)
      .toSorted((one, other) => country(one).localeCompare(country(other))),
    inWords: each(({ value }) => country(value) || (value === true ? 'Yes' : String(value))),
    descriptions: each(({ description }) => description),
  };
}
