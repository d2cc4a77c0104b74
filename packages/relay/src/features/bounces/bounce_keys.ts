/** The keys of `bounces`: each provider has its own. */
import * as v from 'valibot';
import type { Bounces } from '../../base/bounces.ts';
import type { Schema } from '../../schema/any_schema.ts';
import { wrong } from '../../schema/issue.ts';
import { optional, section } from '../../schema/keys.ts';
import { providers } from './providers/index.ts';
import type { Provider } from './providers/provider.ts';

export const bounceKeys = Object.fromEntries(
  Object.entries(providers as Readonly<Record<string, Provider>>).map(
    ([name, { summary, keys, example }]) => [name, optional<unknown>(summary, section(keys, example))],
  ),
);

export const bouncesSchema: Schema<Omit<Bounces, 'where'>> = v.pipe(
  section(bounceKeys, '{ses: {topics: [arn:aws:sns:…]}}'),
  v.check((found) => Object.values(found).some(Boolean), wrong('bounces_of_no_provider')),
) as never;
