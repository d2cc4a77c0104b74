/** Places in the config: values, fields, and the relay's problems. */
import { computed } from '@preact/signals';
import { isMap, isScalar, type Json, listOf, type Path, valueAt } from '../../../edit/model.ts';
import type { ProblemState } from '../../../src/state.ts';
import { pending } from '../../pending.ts';
import {
  type Choice,
  choicesAt,
  type Field,
  fieldsIn,
  type Key,
  keysAt,
  type SchemaNode,
} from '../../schema_nodes.ts';
import { config, state, written } from '../../store.ts';
import type { ChoiceProps } from './controls.tsx';

export const held = (path: Path): Json | undefined => valueAt(config.value.value, path);

/** Keys that the map at a path can have. */
export const keysHere = (path: Path): readonly Key[] => keysAt(path, config.value.value);

/** A path in the notation of the relay's messages (`formatPath` of packages/yaml/src/problem.ts). */
export const pathText = (path: Path): string =>
  path
    .map((segment, index) => {
      if (typeof segment === 'number') return `[${segment}]`;
      if (!/^[\p{L}\p{N}_-]+$/u.test(segment)) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join('');

/** Problems of the config that the builder shows. */
const problems = computed(() => pending.value ?? state.value?.problems ?? []);

export const problemsAt = (path: Path): readonly ProblemState[] =>
  problems.value.filter((problem) => problem.path === pathText(path));

/** Problems at the path or below it. */
export const problemsWithin = (path: Path): readonly ProblemState[] => {
  const text = pathText(path);
  return problems.value.filter(
    (problem) => problem.path.startsWith(text) && /^($|\.|\[)/.test(problem.path.slice(text.length)),
  );
};

/** A field's label, with its name if they differ. */
export const inWords = ({ name, label }: Pick<Field, 'name' | 'label'>): string =>
  label === name ? name : `${label} (${name})`;

/** The fields of the form around `path`; empty outside a form. */
export const fieldsOf = (path: Path): readonly Field[] => fieldsIn(path, config.value.value);

/** Whether the value is not in the text yet. */
export const isPending = (path: Path): boolean =>
  pending.value !== undefined && held(path) !== undefined && valueAt(written.value.value, path) === undefined;

/** The path to remove, so that no empty map remains. List items, forms and the levels above forms remain. */
export function emptiest(path: Path): Path {
  const parent = path.slice(0, -1);
  const isKept = typeof path.at(-1) === 'number' || typeof parent.at(-1) === 'number' || parent.length < 1;
  const isForm = parent[0] === 'forms' && parent.length <= 2;
  const value = held(parent);
  const isOnly = isMap(value) && Object.keys(value).length === 1;
  return !isKept && !isForm && isOnly ? emptiest(parent) : path;
}

export const isFlat = (value: Json | undefined) => !isMap(value) && listOf(value).every(isScalar);

export const holdsTemplates = ({ additionalProperties: below }: SchemaNode) =>
  typeof below === 'object' && below.title === 'template';

export const typesOf = (node: SchemaNode): readonly string[] => [
  ...[node.type ?? []].flat(),
  ...(node.anyOf ?? []).flatMap(typesOf),
];

/** Whether it is a list of texts: lists of maps cannot be filled line by line. */
export const holdsTexts = (node: SchemaNode): boolean =>
  (node.anyOf ?? []).some(holdsTexts) ||
  ([node.type ?? []].flat().includes('array') &&
    node.items?.properties === undefined &&
    node.items?.type !== 'object');

const regions = new Intl.DisplayNames('en', { type: 'region' });

/** The schema's choices with labels; countries by name, in the order of their names. */
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
