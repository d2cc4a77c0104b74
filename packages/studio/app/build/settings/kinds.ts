/** The kinds of values that a part of the schema takes. */
import type { Json } from '../../../edit/index.ts';
import type { SchemaNode } from '../../schema.ts';
import { isScalar } from './places.ts';

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

/** Lists of maps, such as the cases of a formula, are not made by adding lines. */
export const holdsTexts = (node: SchemaNode): boolean =>
  (node.anyOf ?? []).some(holdsTexts) ||
  ([node.type ?? []].flat().includes('array') && node.items?.properties === undefined);
