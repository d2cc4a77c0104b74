/** The keys of `bounces`: each provider has its own. */
import * as v from 'valibot';
import type { Bounces } from '../../base/bounces.ts';
import type { Form } from '../../form.ts';
import type { Schema } from '../../schema/any_schema.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { wrong } from '../../schema/issue.ts';
import { optional, section } from '../../schema/keys.ts';
import { takesMails } from '../../transports/index.ts';
import { isTyped } from './owners.ts';
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

// Warns where the owner would not learn that an address takes no mail, and where mails go on being sent to it.

export const bounceWarnings = (hasAlerts: boolean, forms: readonly Form[]): readonly Finding[] =>
  [...(hasAlerts ? [] : [finding('bounces_untold', ['bounces'])]), ...forms.flatMap(mailsToVisitors)].map(
    (one) => ({ ...one, severity: 'warning' }),
  );

/** Outputs do not ask the list. Visitors have a say in `to` alone. */
const mailsToVisitors = (form: Form): readonly Finding[] =>
  form.outputs.flatMap(({ target }, index) =>
    takesMails(target) && target.to.some((template) => isTyped(template, form))
      ? [finding('bounces_unasked', ['forms', form.id, 'outputs', index, 'to'])]
      : [],
  );
