import { tryRelay } from 'form-relay/testing';
import { expect, test } from 'vitest';

const picture = 'https://pictures.example/a.png?x="><b>';
const formOf = (type: string, options: readonly unknown[]) =>
  tryRelay({ forms: { contact: { fields: [{ name: 'room', type, options }] } } });

test.each(['radios', 'checkboxes'])('%s show a picture above the text, from one origin', async (type) => {
  const relay = await formOf(type, [{ value: 'a', label: 'With <view>', picture }, 'b']);
  const page = await relay.fetch('/api/v1/form/contact?as=page', { headers: { accept: 'text/html' } });
  const html = await page.text();
  expect(html).toContain('<img src="https://pictures.example/a.png?x=%22%3E%3Cb%3E" alt="" loading="lazy">');
  expect(html).toContain('<span>With &lt;view&gt;</span>');
  expect(page.headers.get('content-security-policy')).toContain('img-src data: https://pictures.example;');
  expect((await relay.submit('contact', { room: 'b' })).status).toBe(200);
  expect((await relay.submit('contact', { room: 'c' })).status).toBe(422);
  await relay.close();
});

test.each(['javascript:alert(1)', '/a.png', 'https://u:p@a.example/'])(
  '%s is not the URL of a picture',
  (wrong) => expect(formOf('radios', [{ value: 'a', picture: wrong }])).rejects.toThrow('options[0].picture'),
);
