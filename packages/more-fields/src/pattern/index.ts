/** `pattern`: a regular expression that the whole value must match, in linear time. */

import { withoutLinks } from '@form-relay/base/html';
import { withLineFeeds } from '@form-relay/base/values';
import { fieldExtension } from '@form-relay/core/extensions';
import type { Plugin, Submission } from '@form-relay/core/index';
import { textParam } from '@form-relay/core/messages/message';
import { textSchema } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';
import { mostSteps, type Pattern, readPattern, type Steps } from './pattern.ts';

const types = ['text', 'email', 'url', 'tel', 'textarea'];

const problems = {
  invalid: 'this is not a regular expression that browsers accept (HTML uses the v flag)',
  unbounded:
    'back references such as \\1, sets of strings such as \\q{ab|c}, flags such as (?i:a) and very large counts are not supported, because some values could take years to match; write out what may come',
};

const keys = {
  pattern: optional(
    'Regular expression for the whole value, as in HTML (with the `v` flag), without back references. Avoid nested repetition such as `(a+)+`, which can be very slow.',
    textSchema<Pattern>(
      (source, at) => {
        const pattern = readPattern(source);
        return typeof pattern === 'string' ? at.error(problems[pattern]) : pattern;
      },
      { title: 'regular expression', type: ['string', 'number', 'boolean'] },
    ),
  ),
};

/** The steps that the patterns of a submission may still take. */
const budgets = new WeakMap<Submission, Steps>();

function budgetOf(submission: Submission): Steps {
  const steps = budgets.get(submission) ?? { left: mostSteps };
  budgets.set(submission, steps);
  return steps;
}

const pattern = fieldExtension({
  name: 'pattern',
  types,
  keys,
  configure: (field) => {
    const { pattern, help, type } = field;
    if (!pattern) return undefined;
    const mismatch = help
      ? { code: 'wrong_format_described', params: { help: textParam(help, withoutLinks) } }
      : { code: 'wrong_format' };
    return {
      check: (values, submission) => {
        const steps = budgetOf(submission);
        const wrong = values.findIndex((value) => !pattern.matches(withLineFeeds(value), steps));
        if (steps.left < 0) submission.log('warn', 'pattern_too_slow', { field: field.name });
        return wrong < 0 ? undefined : { ...mismatch, at: wrong };
      },
      // HTML has no pattern for text of several lines.
      ...(type !== 'textarea' && {
        attributes: ({ text }) => ({
          pattern: pattern.source,
          // Browsers show the title if the pattern does not match.
          title: help && withoutLinks(text(help)),
        }),
      }),
    };
  },
});

/** Keys and types of others for which the relay loads this plug-in as well. */
export const uses = ['condition matches'];

export const plugin = (): Plugin => ({
  name: 'pattern',
  fieldExtensions: [pattern],
  messages: {
    en: {
      wrong_format: 'Enter a value in the expected format.',
      wrong_format_described: 'Use the expected format: {help}',
    },
  },
});
