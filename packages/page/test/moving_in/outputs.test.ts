import { expect, test } from 'vitest';
import { must } from '../../../../test/support/must.ts';
import { moveIn } from '../../src/moving_in/move_in.ts';

const outputOf = async (action: string, controls = '<input name="a">') =>
  must(await moveIn(`<form action="${action}" method="post">${controls}</form>`, undefined)).outputs[0]
    ?.keys ?? {};

test.each([
  ['https://formspree.io/you@example.org', 'you@example.org'],
  ['//formspree.io/you@example.org', 'you@example.org'],
  ['https://formsubmit.co/ajax/you@example.org', 'you@example.org'],
  ['mailto:you@example.org?subject=Hello', 'you@example.org'],
  ['https://formsubmit.co/3f2a9c0e5d', 'you@your-site.invalid'],
  ['https://formspree.io/f/xgejabcd', 'you@your-site.invalid'],
  ['/contact.php', 'you@your-site.invalid'],
  ['', 'you@your-site.invalid'],
  ['https://forms.example.com/api/v1/submit/contact', 'you@your-site.invalid'],
  ['https://me:secret@example.com/hook', 'you@your-site.invalid'],
])('values sent to %j become a mail to %s', async (action, to) => {
  expect(await outputOf(action)).toMatchObject({ type: 'smtp', to });
});

test.each([
  ['https://hooks.example.com/catch?key=1', 'http_post'],
  ['https://webto.salesforce.com/servlet/servlet.WebToLead?encoding=UTF-8', 'crm_web2lead'],
])('an address of the owner’s goes on getting it: %s', async (url, type) => {
  const controls =
    '<input type="hidden" name="oid" value="00D"><input name="last_name"><input type="hidden" name="subject" value="x">';
  expect(await outputOf(url, controls)).toEqual({ type, url, mapping: '*' });
  const page = `<form action="${url}">${controls}<input type="hidden" name="retURL" value="https://example.com/"></form>`;
  const { fields, redirect } = must(await moveIn(page, undefined));
  expect(fields.map(({ name }) => name)).toEqual(['oid', 'last_name', 'subject']);
  expect(redirect?.address).toBe('https://example.com/');
});

test.each([
  ['<input type="email" name="mail">', '{{ .fields.mail }}'],
  ['<input type="email" name="friend"><input type="email" name="email">', '{{ .fields.email }}'],
  ['<input type="email" name="user[email]">', '{{ join "," (values "user[email]") }}'],
  [`<input type="email" name='"\\'>`, '{{ join "," (values "\\"\\\\") }}'],
  ['<input name="a"><input type="hidden" name="_replyto" value="desk@example.org">', 'desk@example.org'],
  ['<input type="email" name="email" multiple>', undefined],
])('replies to what %s asks for: %s', async (controls, replyTo) => {
  expect((await outputOf('/contact', controls)).reply_to).toBe(replyTo);
});

test.each([
  ['<input type="hidden" name="_subject" value="Hello\n{{ .x }}">', 'Hello {{ "{{" }} .x }}'],
  ['<input name="subject">', '{{ default "Form submission" .fields.subject }}'],
  ['<input name="_subject">', '{{ default "Form submission" .fields._subject }}'],
  ['<select name="subject"><option>a</select>', undefined],
])('the subject that %s asks for: %s', async (controls, subject) => {
  expect((await outputOf('/contact', `<input name="a">${controls}`)).subject).toBe(subject);
});
