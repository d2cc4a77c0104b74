import { HtmlValidate } from 'html-validate';

const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    // HTML submits several values through checkboxes that share a name.
    'form-dup-name': ['error', { shared: ['radio', 'checkbox'] }],
  },
});

/** Fields with several controls of the same name, whose values HTML submits as a list. These rules do not know such lists. */
const isShared = (line = '') => /class="field-phone"/.test(line);

/** Mistakes that html-validate finds in a page or fragment, one per line. */
export async function mistakesIn(markup: string): Promise<readonly string[]> {
  const { results } = await validator.validateString(markup);
  return results.flatMap(({ messages }) =>
    messages.flatMap(({ line, ruleId, message }) => {
      const source = markup.split('\n')[line - 1];
      return ruleId === 'form-dup-name' && isShared(source) ? [] : `${ruleId}: ${message} ${source}`;
    }),
  );
}
