/** What it takes to sign a webhook, beside the package of Standard Webhooks. */
import { Webhook } from 'standardwebhooks';
import { signWebhook } from '../../packages/relay/src/transports/http/webhook_signature.ts';
import { contest } from './contest.ts';

const secret = `whsec_${Buffer.alloc(32, 0xa5).toString('base64')}`;
const webhook = {
  id: '0d6cd3a0-6a6f-4f3e-9c39-3a3a5d0f4a58-0',
  timestamp: 1_900_000_000,
  body: JSON.stringify({ name: 'Zoë', email: 'zoe@example.org', message: 'Hello there. '.repeat(20) }),
  secrets: [secret],
};
const sentAt = new Date(webhook.timestamp * 1_000);
const library = new Webhook(secret);

contest('Signing a webhook of 300 bytes (below 10 µs is the aim)', {
  relay: () => signWebhook(webhook)['webhook-signature'],
  standardwebhooks: () => library.sign(webhook.id, sentAt, webhook.body),
});
