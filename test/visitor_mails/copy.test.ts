import { expect, test } from 'vitest';
import { decodeMail } from '../support/mail.ts';
import { readStrictly } from '../support/strict_mail.ts';
import { openNewsletter } from './newsletter.ts';
import { openShop } from './stage.ts';

test('`copy: choices` shows what was chosen, and nothing that a stranger typed', async () => {
  const shop = await openShop({ keys: 'copy: choices' });
  await shop.order({ name: 'Buy at evil.example', parcel: 'large' });
  expect(decodeMail(shop.confirmations[0]?.raw ?? '').text).toBe(
    'Thank you. We pack it tomorrow.\n\nParcel: large\n',
  );
});

test('a copy stands in the table of HTML mails, and in the text beside it', async () => {
  const shop = await openShop({ keys: 'copy: choices\nhtml: true' });
  await shop.order({ name: 'Buy at evil.example' });
  const { parts } = readStrictly(shop.confirmations[0]?.raw ?? '');
  const [text, html] = parts.map((part) => part.text);
  expect(text).toBe('Seed shop\r\n\r\nThank you. We pack it tomorrow.\r\n\r\nParcel: small');
  expect(html).toMatch(/<th [^>]*>Parcel<\/th>\s*<td [^>]*>small<\/td>/);
  expect(html).not.toContain('evil');
});

test('answers of a matrix are choices, too', async () => {
  const shop = await openShop({
    keys: 'copy: choices',
    fields:
      '{name: rated, type: matrix, rows: [{value: speed, label: The speed}, price], options: [good, bad]}',
  });
  await shop.order({ 'rated.speed': 'good', 'rated.price': 'bad', 'rated.fun': 'evil.example' });
  expect(decodeMail(shop.confirmations[0]?.raw ?? '').text).toBe(
    'Thank you. We pack it tomorrow.\n\nParcel: small\nRated:\n    The speed: good\n    price: bad\n',
  );
});

test('a copy of nothing chosen adds nothing', async () => {
  const shop = await openShop({ keys: 'copy: choices', formKeys: '' });
  await shop.order({ parcel: '' });
  expect(decodeMail(shop.confirmations[0]?.raw ?? '').text).toBe('Thank you. We pack it tomorrow.\n');
});

test('`copy: all` shows all of it, once the address is confirmed', async () => {
  const news = await openNewsletter({
    formKeys:
      'confirmation_mail: {to: email, subject: Welcome, text: You sent this., copy: all, through: {type: smtp, host: 127.0.0.1, port: $port}}',
  });
  await news.subscribe({ name: 'Ada <b>Byron</b> {{ .fields.email }}', topics: 'hats' });
  expect(news.smtp.mails).toHaveLength(1);
  await news.confirm();
  await expect.poll(() => news.smtp.mails.length).toBe(2);
  const { text } = decodeMail(news.smtp.mails[1]?.raw ?? '');
  expect(text).toContain('You sent this.\n\nEmail: ');
  expect(text).toContain('Name: Ada <b>Byron</b> {{ .fields.email }}\n');
  expect(text).toContain('Topics: hats\n');
});
