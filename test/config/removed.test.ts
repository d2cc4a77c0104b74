/** A config or environment that names what an earlier version read is told since when it is gone, why, and what to use. */
import { expect, test } from 'vitest';
import { readSettings } from '../../packages/core/src/settings.ts';
import { removedKeys } from '../../packages/relay/src/config/removed.ts';
import { removedVariables } from '../../packages/relay/src/schema/settings/removed_variables.ts';
import { inspectInLanguages } from '../core/parse_config.ts';

const lists = ['outputs', 'fields'];

/** `{spam: {signals: {links: 1}}}` for `spam.signals.links`. */
const nested = ([key = '', ...rest]: readonly string[]): Readonly<Record<string, unknown>> => {
  const value = rest.length === 0 ? 1 : nested(rest);
  return { [key]: lists.includes(key) ? [value] : value };
};

test.each(Object.entries(removedKeys))('the key %s', async (key, { since, why, instead }) => {
  const part = nested(key.split('.'));
  const configs = [part, { forms: { contact: part } }];
  const problems = await Promise.all(
    configs.map((config) =>
      inspectInLanguages(JSON.stringify(config), 'webform.yaml', () => Promise.reject(new Error('no file'))),
    ),
  );
  const said = problems.flatMap((result) => (result.ok ? [] : result.error));
  expect(said.filter(({ code }) => code === 'key_removed')).not.toEqual([]);
  for (const { message } of said.filter(({ code }) => code === 'key_removed'))
    expect(message).toBe(`removed in ${since}, because ${why}; ${instead}`);
});

test.each(Object.entries(removedVariables))('the variable %s', (name, { since, why, instead }) => {
  expect(() => readSettings({ [name]: '1' })).toThrow(
    `${name}: removed in ${since}, because ${why}; ${instead}`,
  );
  for (const off of ['', 'false']) expect(() => readSettings({ [name]: off })).not.toThrow();
});
