import { tryRelay } from 'form-relay/testing';
import { expect, test } from 'vitest';

const markup = async (field: object) => {
  const relay = await tryRelay({ forms: { contact: { fields: [{ name: 'to', ...field }] } } });
  const html = await (await relay.fetch('/api/v1/form/contact')).text();
  const { status } = await relay.submit('contact', { to: 'XX' });
  await relay.close();
  return { html, status };
};

test('a list with a search is a select in the markup, and names its script', async () => {
  const { html, status } = await markup({ type: 'country', search: true });
  expect(html).toMatch(
    /<div class="field-search"[^>]*data-none="No option matches\."[^>]*><select [^>]*name="to"/,
  );
  expect(html).toMatch(/data-parts="(\w+ )*search\b/);
  expect(status).toBe(422);
});

test('a list without a search is unchanged', async () => {
  const { html } = await markup({ type: 'select', search: false, options: ['a'] });
  expect(html).not.toContain('search');
});

test('several choices have no search', async () => {
  const several = { type: 'select', multiple: true, search: true, options: ['a'] };
  await expect(markup(several)).rejects.toThrow('a list with `multiple` cannot have a search');
});
