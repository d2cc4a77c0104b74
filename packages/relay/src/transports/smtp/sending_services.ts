import type { MailService } from './mail_service.ts';

/** What sends mail for programs, and has no mailboxes. */
export const sendingServices: readonly MailService[] = [
  {
    name: 'Amazon SES',
    hosts: /^email-smtp(-fips)?\.[a-z0-9-]+\.amazonaws\.com$/,
    hasOwnEnvelope: true,
    accounts: {
      ses: {
        title: 'Amazon SES',
        alsoCalled: ['aws', 'amazon', 'amazon_ses'],
        host: 'email-smtp.REGION.amazonaws.com',
        port: 587,
        username: { is: 'the SMTP user name', written: '{{ env "SMTP_USERNAME" }}' },
        secret: {
          is: 'the SMTP password, not the keys of AWS',
          from: 'the SES console, under SMTP settings, for each region',
        },
        mistakeIn: ({ password }) =>
          /^[\w/+]{40}$/.test(password) ? 'the password looks like a secret access key of AWS' : undefined,
      },
    },
  },
  {
    name: 'Mailgun',
    hosts: /(^|\.)mailgun\.org$/,
    hasOwnEnvelope: true,
    accounts: {
      mailgun: {
        title: 'Mailgun',
        host: 'smtp.mailgun.org',
        otherHosts: [['EU', 'smtp.eu.mailgun.org']],
        port: 587,
        username: { is: 'the login that Mailgun shows', written: 'postmaster@mg.example.com' },
        secret: {
          is: 'the SMTP password of that login, not an API key',
          from: 'Sending → Domain settings → SMTP credentials',
        },
        mistakeIn: ({ password }) =>
          /^key-[\da-f]{32}$|^[\da-f]{32}-[\da-f]{8}-[\da-f]{8}$/.test(password)
            ? 'the password looks like an API key'
            : undefined,
        sender: 'website@mg.example.com',
      },
    },
  },
  {
    name: 'Postmark',
    hosts: /(^|\.)postmarkapp\.com$/,
    hasOwnEnvelope: true,
    accounts: {
      postmark: {
        title: 'Postmark',
        host: 'smtp.postmarkapp.com',
        port: 587,
        username: { is: "the server's API token", written: '{{ env "SMTP_PASSWORD" }}' },
        secret: { is: "the server's API token", from: "the server's page, under API Tokens" },
      },
    },
  },
  {
    name: 'SendGrid',
    hosts: /(^|\.)sendgrid\.net$/,
    hasOwnEnvelope: true,
    accounts: {
      sendgrid: {
        title: 'SendGrid',
        alsoCalled: ['twilio'],
        host: 'smtp.sendgrid.net',
        otherHosts: [['EU', 'smtp.eu.sendgrid.net']],
        port: 587,
        username: { is: 'the word `apikey`', written: 'apikey' },
        secret: { is: 'an API key that may send mail', from: 'Settings → API Keys' },
        mistakeIn: ({ username, password }) => {
          if (username !== 'apikey') return 'the username is not the word apikey';
          return password.startsWith('SG.') ? undefined : 'the password does not look like an API key (SG.…)';
        },
      },
    },
  },
  {
    name: 'Brevo',
    hosts: /(^|\.)(brevo|sendinblue)\.com$/,
    hasOwnEnvelope: true,
    accounts: {
      brevo: {
        title: 'Brevo',
        alsoCalled: ['sendinblue'],
        host: 'smtp-relay.brevo.com',
        port: 465,
        username: { is: 'the login that Brevo shows', written: '{{ env "SMTP_USERNAME" }}' },
        secret: { is: 'an SMTP key, not an API key', from: 'SMTP & API → SMTP' },
        mistakeIn: ({ password }) =>
          password.startsWith('xkeysib-') ? 'the password is an API key (xkeysib-…)' : undefined,
      },
    },
  },
  {
    name: 'Resend',
    hosts: /(^|\.)resend\.com$/,
    hasOwnEnvelope: true,
    accounts: {
      resend: {
        title: 'Resend',
        host: 'smtp.resend.com',
        port: 465,
        username: { is: 'the word `resend`', written: 'resend' },
        secret: { is: 'an API key that may send', from: 'https://resend.com/api-keys' },
        mistakeIn: ({ username, password }) => {
          if (username !== 'resend') return 'the username is not the word resend';
          return password.startsWith('re_') ? undefined : 'the password does not look like an API key (re_…)';
        },
      },
    },
  },
  { name: 'Mailjet', hosts: /(^|\.)mailjet\.com$/, hasOwnEnvelope: true },
  { name: 'Mandrill', hosts: /(^|\.)mandrillapp\.com$/, hasOwnEnvelope: true },
  { name: 'SparkPost', hosts: /(^|\.)sparkpostmail\.com$/, hasOwnEnvelope: true },
];
