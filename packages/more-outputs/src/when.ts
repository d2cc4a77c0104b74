import { outputExtension } from '@form-relay/core/extensions';
import type { Plugin } from '@form-relay/core/index';
import { condition, holdsFor } from '@form-relay/schema/condition';
import { checkCondition } from '@form-relay/schema/condition_check';
import { optionalBlock } from '@form-relay/schema/schema';

const when = outputExtension({
  name: 'when',
  keys: {
    when: optionalBlock(
      'Sends only if fields have certain values: `{field: kind, is: business}`. Hidden fields count as empty.',
      condition,
    ),
  },
  configure: ({ output: { when }, fields }, at) => {
    if (!when) return undefined;
    checkCondition(when, fields, at.in('when'));
    return {
      acceptsWhen: when,
      // If in doubt, the submission is delivered.
      accepts: ({ values }) => holdsFor(when, values, fields),
    };
  },
});

export const plugin: Plugin = { name: 'when', outputExtensions: [when] };
