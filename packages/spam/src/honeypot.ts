import { attributes, html } from '@form-relay/base/html';
import { firstValue } from '@form-relay/base/values';
import { fieldElementId } from '@form-relay/core/html/element_ids';
import { feature, guard } from '@form-relay/core/plugin';
import { dropped } from '@form-relay/core/submission';
import { name, optional } from '@form-relay/schema/kinds';
import { warnIfBoolean } from '@form-relay/schema/scalars';
import { isExcused } from './state.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    /** The name of the decoy field. */
    readonly honeypot: string;
    /** Agents in browsers are offered the form as a tool. */
    readonly webmcp: true;
  }
}

/** Any non-empty value in the decoy field drops the submission (SPEC: Submission rules 1). */
export const honeypot = feature({
  name: 'honeypot',
  keys: {
    spam: {
      honeypot: optional('Decoy field (`website`). Submissions that fill it in are dropped.', name()),
    },
  },
  configure: ({ spam: { honeypot: decoy } }, at) => {
    if (decoy === undefined) return undefined;
    warnIfBoolean(decoy, at.in('spam', 'honeypot'), 'the honeypot', 'website');
    const filled = dropped('honeypot', 'the decoy field was filled', 'decoy_filled');
    return {
      reserves: [{ name: decoy, key: ['spam', 'honeypot'], what: 'the honeypot' }],
      cards: [{ name: 'honeypot', says: `drops submissions that fill in “${decoy}”` }],
      provides: decoy,
      browsersOnly: true,
      beforeValidation: guard((submission) => {
        if (isExcused(submission, true)) return undefined;
        const { sent, sentFiles, trace } = submission;
        const isEmpty = firstValue(sent, decoy) === '' && !sentFiles.has(decoy);
        trace?.note(
          `the decoy field "${decoy}" is ${isEmpty ? 'empty' : 'filled in; only bots see this field'}`,
        );
        return isEmpty ? undefined : filled;
      }),
      // Not `type=hidden`, which bots ignore, but hidden from people and their tools.
      markup: ({ form, locale }) => {
        const id = fieldElementId(form, decoy);
        // Browsers do not offer agents a read-only field.
        const readonly = form.provided.get('webmcp');
        const input = attributes({
          type: 'text',
          id,
          name: decoy,
          autocomplete: 'off',
          tabindex: -1,
          readonly,
        });
        const label = locale.translate({ code: 'decoy_label' });
        return {
          inputs: html`<form-extra hidden inert aria-hidden="true">\n<label for="${id}">${label}</label>\n<input${input}>\n</form-extra>\n`,
        };
      },
    };
  },
});
