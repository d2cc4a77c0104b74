import { commonKeys as keysOfFields } from '../fields/field.ts';
import { commonKeys as keysOfOutputs } from '../outputs/output.ts';
import { type JsonSchema, jsonSchemaOf, type Properties } from '../schema/kinds.ts';
import type { Registry } from './registry.ts';

/** Every key with its documentation, as Markdown: what docs/reference.md is made of, with the keys of plugins. */
export function referenceOf({ plugins }: Pick<Registry, 'plugins'>): string {
  const features = plugins.flatMap(({ features = [] }) => features);
  const keysAt = (place: 'top' | 'form' | 'spam'): Properties =>
    Object.assign({}, ...features.map(({ keys }) => keys?.[place]));
  const outputKeys = plugins.flatMap(({ outputExtensions = [] }) => outputExtensions);
  const parts = [
    part(
      'Keys of a form',
      'Beside `fields`, `outputs`, `spam`, `confirmation` and `submit_label`.',
      keysAt('form'),
    ),
    part('Keys of `spam`', '', keysAt('spam')),
    part('Keys at the top', 'Beside `forms`, `plugins` and `cache_ttl`.', keysAt('top')),
    part('Keys of every field', '', {
      ...keysOfFields,
      ...Object.assign(
        {},
        ...plugins.flatMap(({ fieldExtensions = [] }) => fieldExtensions).map(({ keys }) => keys),
      ),
    }),
    ...plugins
      .flatMap(({ fields = [] }) => fields)
      .map(({ type, summary, keys }) => part(`\`type: ${type}\``, summary, keys)),
    part('Keys of every output', '', {
      ...keysOfOutputs,
      ...Object.assign({}, ...outputKeys.filter(({ types }) => !types).map(({ keys }) => keys)),
    }),
    ...plugins
      .flatMap(({ outputs = [] }) => outputs)
      .map(({ type, summary, keys }) =>
        part(`Output \`type: ${type}\``, summary, {
          ...keys,
          ...Object.assign(
            {},
            ...outputKeys.filter(({ types }) => types?.includes(type)).map(({ keys }) => keys),
          ),
        }),
      ),
  ];
  return `${parts.join('\n')}`;
}

function part(title: string, summary: string, keys: Properties): string {
  const rows = Object.entries(keys).map(([name, { doc, schema: kind, fallback, isRequired }]) => {
    const given = isRequired ? 'required' : fallback === undefined ? '' : `\`${fallback}\``;
    return `| \`${name}\` | ${inWords(jsonSchemaOf(kind))} | ${given} | ${doc.replaceAll('|', '\\|')} |\n`;
  });
  const table =
    rows.length > 0
      ? `| Key | Value | Default | Meaning |\n|---|---|---|---|\n${rows.join('')}`
      : 'No keys of its own.\n';
  return `## ${title}\n\n${summary}${summary && '\n\n'}${table}`;
}

/** Such as `text or list of text`. */
function inWords({
  type,
  enum: options,
  anyOf,
  const: fixed,
  items,
  additionalProperties,
  examples,
}: JsonSchema): string {
  if (fixed !== undefined) return `\`"${fixed}"\``;
  if (Array.isArray(options)) return options.map((one) => `\`${one}\``).join(', ');
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(inWords))].join(' or ');
  const [first] = [type].flat();
  switch (first) {
    case 'array':
      return `list of ${inWords((items ?? {}) as JsonSchema)}`;
    case 'object':
      return typeof additionalProperties === 'object'
        ? `map of ${inWords(additionalProperties as JsonSchema)}`
        : 'map';
    case 'boolean':
      return '`true` or `false`';
    case 'integer':
      return 'whole number';
    case 'number':
      return 'number';
    case 'string':
      return Array.isArray(examples) ? `text such as \`${examples[0]}\`` : 'text';
    default:
      return '';
  }
}
