/** Confirmations through servers of providers: signed in with a token, and where no mail may come from nobody. */

import { expect, onTestFinished, test } from 'vitest';
import { clientId, clientSecret, startAuthorizationServer } from '../support/authorization_server.ts';
import { openShop } from './stage.ts';

const mailbox = 'shop@seeds.example';

test.each([
  ['takes mail from nobody', undefined, ''],
  ['takes mail from its mailboxes alone', '553 5.7.1 not yours', mailbox],
])('a server that wants XOAUTH2, and %s', async (_, toNobody, sender) => {
  const tokens = await startAuthorizationServer({ tokenSize: 1_500 });
  onTestFinished(tokens.close);
  const shop = await openShop({
    outputKeys: `, username: ${mailbox}, auth: oauth2, oauth2: {grant: client_credentials, token_url: "${tokens.tokenUrl}", client_id: '{{ env "ID" }}', client_secret: '{{ env "SECRET" }}'}`,
    env: { ID: clientId, SECRET: clientSecret },
    sink: {
      tls: 'starttls',
      auth: { username: mailbox, isToken: tokens.isGood, methods: ['LOGIN', 'XOAUTH2'] },
      onSender: (address) => (address ? undefined : toNobody),
    },
  });
  expect((await shop.order()).status).toBe(200);
  expect(shop.sink.mails.map(({ user, envelope }) => [user, envelope.from, ...envelope.to])).toEqual([
    [mailbox, mailbox, 'office@seeds.example'],
    [mailbox, sender, 'ada@visitor.example'],
  ]);
  expect(shop.sink.mails[1]?.raw).toMatch(/^Auto-Submitted: auto-replied\r$/m);
  expect(tokens.tokens).toHaveLength(1);
  expect(shop.logged.filter(({ event }) => event === 'confirmation_mail_sent')).toMatchObject([{ tries: 1 }]);
  for (const word of [clientSecret, ...tokens.tokens])
    expect(JSON.stringify(shop.logged)).not.toContain(word);
});
