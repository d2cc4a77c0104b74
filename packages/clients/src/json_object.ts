import { parseJson } from '@form-relay/base/json';
import { isMap } from '@form-relay/schema/schema';

/** The JSON object in an answer; `undefined` if there is none. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  return isMap(value) ? value : undefined;
}
