import { jsonNumber } from '@form-relay/base/json';
import type { Diagnostics, FieldRead, JsonSchema, Schema } from '@form-relay/core/index';
import { isMap, schema } from '@form-relay/schema/schema';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import type { Template } from '@form-relay/schema/template';
import { template } from '@form-relay/schema/templates';

/** The `body` of a webhook, as YAML. Templates are leaves, so nothing that a visitor writes can break out of them. */

/** Maps, lists and templates, so that the core finds the templates in it. */
export type BodyNode = ReadonlyMap<string, BodyNode> | readonly BodyNode[] | End;
type End = Template | Leaf | number | boolean | null;

/** Values that are not text: a field's own value, all values, or facts about the submission. */
type Leaf =
  | { readonly leaf: 'field'; readonly name: string }
  | { readonly leaf: 'fields' }
  | { readonly leaf: 'submission' };

const words = ['$fields', '$submission'] as const;

const json: JsonSchema = { title: 'map or list', type: ['object', 'array'] };

export const bodySchema: Schema<BodyNode> = schema(
  () => json,
  (value, at) => {
    if (!isMap(value) && !Array.isArray(value))
      return at.error('expected a map or a list: the JSON to send, as YAML');
    return readNode(value, at);
  },
);

/** Values of a config are text, but a service tells `5` from `"5"`: plain `true`, `false` and numbers are what JSON has. */
function readNode(written: unknown, at: Diagnostics): BodyNode {
  if (typeof written === 'number' || typeof written === 'boolean' || written === null) return written;
  const value =
    typeof written === 'string' && isTyped.test(written) && at.isPlain ? typed(written) : undefined;
  if (value !== undefined) return value;
  if (typeof written === 'string') return readText(written, at);
  if (Array.isArray(written)) return written.map((item, index) => readNode(item, at.in(index)));
  if (!isMap(written)) return null;
  if ('$field' in written) return readField(written, at);
  if ('<<' in written)
    at.in('<<').error(
      'merge keys are not part of YAML 1.2; use an alias for a whole block, or write the keys out',
      { aboutKey: true },
    );
  const word = words.find((one) => one in written);
  if (word)
    at.in(word).error(`${word} stands where a value stands, as in "answers: ${word}"`, { aboutKey: true });
  return new Map(
    Object.entries(written).map(([key, item]) => {
      if (key.includes('{{')) {
        at.in(key).error('a template can stand in a value, and not in a key', { aboutKey: true });
      }
      return [key, readNode(item, at.in(key))];
    }),
  );
}

const isTyped = /^(true|True|TRUE|false|False|FALSE|-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?)$/;

/** `undefined` for a number with too many digits, which stays text. */
function typed(text: string): number | boolean | undefined {
  if (/^t/i.test(text)) return true;
  return /^f/i.test(text) ? false : jsonNumber(text);
}

function readText(written: string, at: Diagnostics): BodyNode {
  if (written === '$fields') return { leaf: 'fields' };
  if (written === '$submission') return { leaf: 'submission' };
  if (/^\$([a-z_]+$|(field|fields|submission)[.:[])/i.test(written)) {
    at.error(
      `"${written}" is neither $fields nor $submission${didYouMean(nearest(written, [...words]))}; a field's own value is {$field: its_name}`,
    );
  }
  return template()(written, at) ?? null;
}

function readField(written: Readonly<Record<string, unknown>>, at: Diagnostics): BodyNode {
  const { $field: name, ...others } = written;
  const [other] = Object.keys(others);
  if (other !== undefined)
    at.in(other).error('$field must be the only key of its map, as in "topics: {$field: topics}"', {
      aboutKey: true,
    });
  const isName = typeof name === 'string' && name !== '' && !name.includes('{{');
  if (isName && !(isTyped.test(name) && at.in('$field').isPlain)) return { leaf: 'field', name };
  at.in('$field').error('expected the name of a field, as in {$field: email}');
  return null;
}

/** The leaves of the tree, each with its path. */
function* endsOf(node: BodyNode, path: FieldRead['path'] = []): Generator<readonly [End, FieldRead['path']]> {
  if (isBranch(node)) for (const [step, item] of node.entries()) yield* endsOf(item, [...path, step]);
  else yield [node, path];
}

const isBranch = (node: BodyNode): node is Exclude<BodyNode, End> => node instanceof Map || isList(node);

const hasEnd = (body: BodyNode, isWanted: (end: End) => boolean): boolean =>
  [...endsOf(body)].some(([end]) => isWanted(end));

export const fieldsIn = (body: BodyNode, path: FieldRead['path']): readonly FieldRead[] =>
  [...endsOf(body, path)].flatMap(([end, at]) =>
    isLeaf(end) && end.leaf === 'field' ? [{ name: end.name, path: [...at, '$field'] }] : [],
  );

export const holdsField = (body: BodyNode, name: string): boolean =>
  hasEnd(body, (end) => isLeaf(end) && (end.leaf === 'field' ? end.name === name : end.leaf === 'fields'));

export const isList = (node: BodyNode): node is readonly BodyNode[] => Array.isArray(node);
export const isLeaf = (node: BodyNode): node is Leaf =>
  typeof node === 'object' && node !== null && 'leaf' in node;
