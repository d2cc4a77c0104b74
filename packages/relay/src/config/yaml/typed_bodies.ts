import { jsonNumber } from '../../base/json_number.ts';
import type { Path } from '../../schema/finding.ts';
import { isMap } from '../../schema/kinds.ts';
import { rawForms } from '../form_languages.ts';
import type { Places } from './places.ts';

/**
 * Types the scalars in `body` of outputs. The relay treats all config values as text (document.ts), but a `body` goes
 * to a service that distinguishes `5` and `"5"`: there, plain `true`, `false` and JSON numbers get their JSON types.
 * Quoted text stays text, as do `01234` and numbers with too many digits.
 */
export function typeBodies(config: unknown, places: Places): void {
  for (const [id, form] of Object.entries(rawForms(config))) {
    if (!isMap(form) || !Array.isArray(form.outputs)) continue;
    for (const [index, output] of form.outputs.entries()) {
      if (isMap(output) && output.body !== undefined)
        form.outputs[index] = {
          ...output,
          body: typed(output.body, ['forms', id, 'outputs', index, 'body'], places),
        };
    }
  }
}

/** Copies, because an alias may share the value. */
function typed(value: unknown, path: Path, places: Places): unknown {
  if (Array.isArray(value)) return value.map((item, index) => typed(item, [...path, index], places));
  if (isMap(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, typed(item, [...path, key], places)]),
    );
  }
  return typeof value === 'string' && places.isPlain(path) ? plain(value) : value;
}

function plain(text: string): unknown {
  if (/^(true|True|TRUE)$/.test(text)) return true;
  if (/^(false|False|FALSE)$/.test(text)) return false;
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text)) return text;
  return jsonNumber(text) ?? text;
}
