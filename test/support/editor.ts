import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';

const strict = { strict: true, strictTypes: true, strictTuples: true, strictRequired: true } as const;
export const editorSchema = JSON.parse(readFileSync('docs/webform.schema.json', 'utf8'));
/** Compiling takes seconds, so all tests of a worker share it. */
const check = new Ajv({ ...strict, allErrors: true }).compile(editorSchema);

/** The problems that an editor with the JSON Schema marks: position and message. */
export function complaints(config: string): readonly string[] {
  check(load(config));
  return (check.errors ?? [])
    .filter(({ keyword }) => keyword !== 'if')
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${Object.values(params).join()}`);
}
