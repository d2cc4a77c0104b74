import { didYouMean, nearest } from '@form-relay/core/kit';
import * as z from 'zod/v4';
import { ToolError } from '../owner.ts';
import { described, findSchemas, loadSchema, segmentsOf } from '../schema_lookup.ts';
import { looksOnly, tool } from '../tool.ts';

const key = z.looseObject({
  description: z.string().optional(),
  kind: z.string().optional(),
  expected: z.string().optional(),
  values: z.array(z.string()).optional(),
});

export const getSchema = tool({
  name: 'get_schema',
  title: 'Look up a key of the config',
  description:
    'Says what a key of the config means, which values it takes, its default, and which keys stand below it. Paths are those of problems, such as forms.contact.outputs[0].url; a type may stand in place of a number: forms.*.fields.email.required, forms.*.outputs.webhook. An empty path lists the keys at the top.',
  annotations: looksOnly,
  input: z.strictObject({
    path: z
      .string()
      .max(500)
      .default('')
      .describe('Such as forms.contact.outputs[0].url, forms.*.outputs.webhook or keep.'),
  }),
  output: z.object({
    found: z.array(
      z.looseObject({
        type: z.string().describe('The type of field or output that has the key; empty: all of them.'),
        ...key.shape,
        required: z.array(z.string()),
        keys: z.record(z.string(), key),
      }),
    ),
  }),
  async run({ path }) {
    const root = await loadSchema();
    const segments = segmentsOf(path);
    const named = findSchemas(root, segments);
    // A list, or a map with names of the owner's: what stands in it says more.
    const isMade = named.every(({ schema }) => !schema.properties);
    const found = isMade ? [...named, ...findSchemas(root, [...segments, '[]'])] : named;
    if (found.length === 0) throw new ToolError(`the config has no key ${path}${besideLast(segments, root)}`);
    return {
      found: found.map(({ type, schema }) => {
        const keys = Object.entries(schema.properties ?? {});
        // A list of all types with all of their keys would be long: there, names will do.
        const isMany = found.length > 8;
        return {
          type,
          ...described(schema, root),
          required: [...(schema.required ?? [])],
          keys: Object.fromEntries(
            keys.map(([name, one]) => [name, isMany ? {} : { ...described(one, root) }]),
          ),
        };
      }),
    };
  },
});

/** A key beside the last one that exists, of a similar name. */
function besideLast(segments: readonly string[], root: Awaited<ReturnType<typeof loadSchema>>): string {
  const depth = segments.findIndex(
    (_, index) => findSchemas(root, segments.slice(0, index + 1)).length === 0,
  );
  const above = segments.slice(0, depth);
  // A list's keys are those of its entries, whose types may be named as well.
  const beside = [...findSchemas(root, above), ...findSchemas(root, [...above, '[]'])];
  const names = new Set(
    beside.flatMap(({ type, schema }) => [type, ...Object.keys(schema.properties ?? {})]),
  );
  return didYouMean(nearest(segments[depth] ?? '', [...names]));
}
