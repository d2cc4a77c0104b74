/** Shared code of field types that consist of inputs. */

import { labelled } from '@form-relay/base/labelled';
import { fromJson } from '@form-relay/core/fields/json';
import { labelOf } from '@form-relay/core/fields/label';
import type { Field, Locale, Values } from '@form-relay/core/index';
import { isMap } from '@form-relay/schema/schema';

/** The most inputs of one field. */
export const mostInputs = 500;

export const valueMistake = 'a field that is made of several fields has no initial value; leave it out';

/** The member of a map that people or programs sent, however it is called. */
export const memberOf = (value: unknown, name: string): unknown =>
  isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** By the names that they have in the value. */
type Members = readonly (readonly [name: string, input: Field])[];

/** The values sent for the members, as JSON. */
export const gathered = (members: Members, values: Values): Record<string, unknown> =>
  Object.fromEntries(
    members
      .map(([name, input]) => [name, input.json(values.get(input.name) ?? [])] as const)
      .filter(([, value]) => value !== undefined),
  );

/** A line for people for each that says something. */
export const linesOf = (members: Members, value: unknown, locale: Locale): string =>
  members
    .flatMap(([name, input]) => {
      const words = wordsOf(input, memberOf(value, name), locale);
      return words === '' ? [] : labelled(labelOf(input, locale), words);
    })
    .join('\n');

/** No value of one line becomes several. */
export const wordsOf = (input: Field, value: unknown, locale: Locale): string =>
  input
    .words(fromJson(input, value), locale)
    .map((one) => (input.type === 'textarea' ? one : one.replaceAll(/[\n\r\v\f\x85\u2028\u2029]+/g, ' ')))
    .join(', ');
