import { HtmlValidate } from 'html-validate';

const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    // Boxes that share a name are how HTML submits several values.
    'form-dup-name': ['error', { shared: ['radio', 'checkbox'] }],
  },
});

/** What html-validate finds wrong with a page or a part of one, a line each. */
export async function mistakesIn(markup: string): Promise<readonly string[]> {
  const { results } = await validator.validateString(markup);
  return results.flatMap(({ messages }) =>
    messages.map(({ line, ruleId, message }) => `${ruleId}: ${message} ${markup.split('\n')[line - 1]}`),
  );
}
