/** Checks for `relay doctor` whether mails will arrive: mail servers, SPF, DKIM and DMARC, and the recipients' domains. */
import { check } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';

const servers = () => import('./mail_servers.ts');

export const mailChecks: Plugin = {
  name: 'mail_checks',
  checks: [
    check('Environment', async () => ({ probe: (await servers()).probeSender })),
    check('SMTP servers', async () => ({ probe: (await servers()).probeCarriers('smtp') })),
    check('Amazon SES', async () => ({ probe: (await servers()).probeCarriers('ses') })),
    check('Senders: SPF, DKIM and DMARC', () => import('./ses_signing.ts')),
    check('Senders: SPF, DKIM and DMARC', () => import('./senders.ts')),
    check('Recipients', () => import('./mail_servers.ts')),
  ],
};
