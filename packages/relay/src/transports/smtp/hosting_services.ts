import type { MailService, Username } from './mail_service.ts';

const ownMailbox: Username = { is: 'the address of the mailbox' };
const ownPassword = { is: 'the password of the mailbox' };

/** Where websites are, and the mailboxes of their domains. */
export const hostingServices: readonly MailService[] = [
  {
    name: 'IONOS',
    hosts: /(^|\.)ionos\.[a-z.]+$/,
    spf: '_spf-eu.ionos.com',
    spfHosts: /\.(de|co\.uk|fr|es|it)$/,
    accounts: {
      ionos: {
        title: 'IONOS',
        alsoCalled: ['1und1', '1and1'],
        host: 'smtp.ionos.com',
        otherHosts: [
          ['Germany', 'smtp.ionos.de'],
          ['United Kingdom', 'smtp.ionos.co.uk'],
        ],
        port: 465,
        username: ownMailbox,
        secret: { ...ownPassword, from: 'the control panel, under Email' },
      },
    },
  },
  {
    name: 'STRATO',
    hosts: /(^|\.)strato\.(de|com)$/,
    spf: '_spf.strato.com',
    accounts: {
      strato: {
        title: 'STRATO',
        host: 'smtp.strato.de',
        port: 465,
        username: ownMailbox,
        secret: { ...ownPassword, from: 'the customer login, under E-Mail' },
      },
    },
  },
  {
    name: 'OVH',
    hosts: /(^|\.)ovh\.(net|ca)$/,
    spf: 'mx.ovh.com',
    accounts: {
      ovh: {
        title: 'OVH',
        alsoCalled: ['ovhcloud'],
        host: 'ssl0.ovh.net',
        port: 465,
        username: ownMailbox,
        secret: { ...ownPassword, from: 'the control panel, under Web Cloud → Emails' },
      },
    },
  },
  {
    name: 'Gandi',
    hosts: /(^|\.)gandi\.net$/,
    spf: '_mailcust.gandi.net',
    accounts: {
      gandi: {
        title: 'Gandi',
        host: 'mail.gandi.net',
        port: 465,
        username: ownMailbox,
        secret: { ...ownPassword, from: 'the page of the domain, under Email' },
      },
    },
  },
  {
    name: 'Infomaniak',
    hosts: /(^|\.)infomaniak\.com$/,
    spf: 'spf.infomaniak.ch',
    accounts: {
      infomaniak: {
        title: 'Infomaniak',
        host: 'mail.infomaniak.com',
        port: 465,
        username: ownMailbox,
        secret: {
          is: 'a password for a device, not that of your account',
          from: 'Manager → Mail Service → the address → Devices → Add a device',
        },
      },
    },
  },
  {
    name: 'Hetzner',
    hosts: /(^|\.)your-server\.de$/,
    accounts: {
      hetzner: {
        title: 'Hetzner',
        host: 'mail.your-server.de',
        port: 587,
        username: ownMailbox,
        secret: { ...ownPassword, from: 'https://konsoleh.hetzner.com, under Email' },
      },
    },
  },
];
