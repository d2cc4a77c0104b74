import { expect, test } from 'vitest';
import { relayWith, smtpSink } from '../../../../test/spec/stage.ts';
import { decodeMail } from '../../../../test/support/mail.ts';
import { openNewsletter, optInEnv, there } from './newsletter.ts';

test('`copy: all` shows all of it, also undeclared fields, once the address is confirmed', async () => {
  const news = await openNewsletter({
    formKeys:
      'accept_undeclared: true\nconfirmation_mail: {to: email, subject: Welcome, text: You sent this., copy: all, through: {type: smtp, host: 127.0.0.1, port: $port}}',
  });
  await news.subscribe({ name: 'Ada <b>Byron</b> {{ .fields.email }}', topics: 'hats', colour: 'red' });
  expect(news.smtp.mails).toHaveLength(1);
  await news.confirm();
  await expect.poll(() => news.smtp.mails.length).toBe(2);
  const { text } = decodeMail(news.smtp.mails[1]?.raw ?? '');
  expect(text).toContain('You sent this.\n\nEmail: ');
  expect(text).toContain('Name: Ada <b>Byron</b> {{ .fields.email }}\n');
  expect(text).toContain('Topics: hats\n');
  expect(text).toContain('colour: red\n');
});

test('`copy: all` shows an order of rows, an address and a grid, which the link held', async () => {
  const smtp = await smtpSink();
  const server = `type: smtp, host: 127.0.0.1, port: ${smtp.port}, from: shop@seeds.example`;
  const relay = await relayWith({
    env: optInEnv,
    config: `
forms:
  order:
    fields:
      - {name: email, type: email, required: true}
      - {name: home, type: address, countries: [DE], max_length: 30}
      - name: lines
        type: repeat
        most: 4
        fields:
          - {name: seed, type: select, options: [beans, peas]}
          - {name: grams, type: number, min: 1, max: 5000}
          - {name: gift, type: checkbox}
          - {name: note, type: textarea, max_length: 10}
      - {name: rated, type: grid, rows: [shop, page], options: [good, bad], several: true}
    outputs:
      - {${server}, to: office@seeds.example, mapping: {Seeds: lines, First: lines.1.grams, City: home.city, Rated: rated}}
    double_opt_in: {to: email, subject: Please confirm, text: Please click.}
    confirmation_mail: {to: email, subject: Your order, text: Thank you., copy: all}
`,
  });
  const answer = await relay.submit('order', [
    ['email', 'ada@visitor.example'],
    ['home.country', 'DE'],
    ['home.line1', 'Am "Markt" 1'],
    ['home.postal_code', '10115'],
    ['home.city', 'Köln'],
    ['lines.1.grams', '250'],
    ['lines.1.gift', 'on'],
    ['lines.3.seed', 'peas'],
    ['lines.3.note', 'a "b"\r\nc'],
    ['rated.shop', 'good'],
    ['rated.shop', 'bad'],
  ]);
  expect(answer.json).toEqual({ message: 'ok' });
  const sealed = /\?t=(\S+)/.exec(decodeMail(there(smtp.mails[0]).raw).text)?.[1];
  const click = await relay.request('/api/v1/confirm/order', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `t=${sealed}`,
  });
  expect(click.status).toBe(303);
  await expect.poll(() => smtp.mails.length).toBe(3);
  const [, office, copy] = smtp.mails.map(({ raw }) => decodeMail(raw).text);
  expect(office).toMatchInlineSnapshot(`
    "City=Köln
    First=250
    Rated=shop: good, bad
    Seeds=Entry 1:
    	    Grams: 250
    	    Gift: ✓
    Seeds=Entry 2:
    	    Seed: peas
    	    Note:
    	        a "b"
    	        c
    "
  `);
  expect(copy).toMatchInlineSnapshot(`
    "Thank you.

    Email: ada@visitor.example
    Home:
        Am "Markt" 1
        Köln
        10115
        Germany
    Lines:
      - Entry 1:
            Grams: 250
            Gift: ✓
      - Entry 2:
            Seed: peas
            Note:
                a "b"
                c
    Rated:
        shop: good, bad
    "
  `);
});
