import { HtmlValidate } from 'html-validate';

const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    // Boxes that share a name are how HTML submits several values.
    'form-dup-name': ['error', { shared: ['radio', 'checkbox'] }],
  },
});

/** Fields whose controls share a name, so that HTML sends their values as one list: these rules know no such lists. */
const isShared = (line = '') => /class="field-phone"/.test(line);

/** Mistakes that html-validate finds in a page or a part of one, a line each. */
export async function mistakesIn(markup: string): Promise<readonly string[]> {
  const { results } = await validator.validateString(markup);
  return results.flatMap(({ messages }) =>
    messages.flatMap(({ line, ruleId, message }) => {
      const source = markup.split('\n')[line - 1];
      return ruleId === 'form-dup-name' && isShared(source) ? [] : `${ruleId}: ${message} ${source}`;
    }),
  );
}
