import { jsonNumber } from '../../base/json_number.ts';
import type { Path } from '../../base/place.ts';
import { isMap } from '../../schema/kinds.ts';
import type { Places } from './places.ts';

/**
 * To the relay, all that a config says is text (document.ts). The `body` of an output goes on to a service that tells
 * `5` from `"5"`, so there alone plain words become what they are in JSON: `true`, `false`, and numbers as JSON writes
 * them. What stands in quotes stays text, and so do `01234` and a number of too many digits.
 */
export function typeBodies(config: unknown, places: Places): void {
  if (!isMap(config) || !isMap(config.forms)) return;
  for (const [id, form] of Object.entries(config.forms)) {
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

/** A copy, since an alias may use the same elsewhere. */
function typed(value: unknown, path: Path, places: Places): unknown {
  if (Array.isArray(value)) return value.map((item, index) => typed(item, [...path, index], places));
  if (isMap(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, typed(item, [...path, key], places)]),
    );
  }
  return typeof value === 'string' && places.isPlain({ path }) ? plain(value) : value;
}

function plain(text: string): unknown {
  if (/^(true|True|TRUE)$/.test(text)) return true;
  if (/^(false|False|FALSE)$/.test(text)) return false;
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text)) return text;
  return jsonNumber(text) ?? text;
}
