import type { MailService, Username } from './mail_service.ts';

const ownAddress: Username = { is: 'your address' };
const ownMailbox: Username = { is: 'the address of the mailbox' };

/** Where people have mailboxes. */
export const mailboxServices: readonly MailService[] = [
  {
    name: 'Google',
    hosts: /(^|\.)(gmail|google|googlemail)\.com$/,
    inbound: /(^|\.)aspmx\d?\.|^(gmail-)?smtp(-in)?\.(l\.)?google\.com$/,
    mailboxes: /^(gmail|googlemail)\.com$/,
    spf: '_spf.google.com',
    accounts: {
      gmail: {
        title: 'Gmail',
        alsoCalled: ['google', 'googlemail'],
        host: 'smtp.gmail.com',
        port: 465,
        username: ownAddress,
        secret: {
          is: 'an app password',
          from: 'https://myaccount.google.com/apppasswords, once 2-Step Verification is on',
        },
        takesOAuth: true,
        mistakeIn: ({ password }) =>
          /^[a-z]{16}$/.test(password.replaceAll(' ', ''))
            ? undefined
            : 'the password does not look like an app password, which is 16 letters',
        sender: 'you@gmail.com',
      },
      google_workspace: {
        title: 'Google Workspace relay',
        alsoCalled: ['workspace', 'gsuite', 'google_relay', 'gmail_relay'],
        host: 'smtp-relay.gmail.com',
        port: 587,
        username: ownAddress,
        secret: {
          is: 'an app password',
          from: 'https://myaccount.google.com/apppasswords; the relay itself: Admin console, Gmail → Routing',
        },
        wantsEhloName: true,
        takesNoLogin: true,
      },
    },
  },
  {
    name: 'Microsoft',
    hosts: /(^|\.)(outlook|office365|office|hotmail|live)\.com$/,
    inbound: /\.mail\.protection\.outlook\.com$/,
    mailboxes: /^((outlook|hotmail|live)\.[a-z.]+|msn\.com)$/,
    spf: 'spf.protection.outlook.com',
    accounts: {
      microsoft365: {
        title: 'Microsoft 365',
        alsoCalled: ['microsoft', 'office365', 'o365', 'm365', 'outlook', 'exchange'],
        host: 'smtp.office365.com',
        port: 587,
        username: ownMailbox,
        secret: { is: 'OAuth', from: 'an app of yours at https://entra.microsoft.com' },
        wantsOAuth: true,
      },
    },
  },
  {
    name: 'Apple',
    hosts: /(^|\.)mail\.me\.com$/,
    mailboxes: /^(icloud|me|mac)\.com$/,
    spf: 'icloud.com',
    accounts: {
      icloud: {
        title: 'iCloud Mail',
        alsoCalled: ['apple', 'me', 'mac'],
        host: 'smtp.mail.me.com',
        port: 587,
        username: { is: 'your whole iCloud address' },
        secret: {
          is: 'an app-specific password',
          from: 'https://account.apple.com, under Sign-In and Security, once two-factor authentication is on',
        },
        sender: 'you@icloud.com',
      },
    },
  },
  {
    name: 'Fastmail',
    hosts: /(^|\.)(fastmail|messagingengine)\.com$/,
    mailboxes: /^fastmail\.(com|fm)$/,
    spf: 'spf.messagingengine.com',
    accounts: {
      fastmail: {
        title: 'Fastmail',
        host: 'smtp.fastmail.com',
        port: 465,
        username: ownAddress,
        secret: { is: 'an app password', from: 'Settings → Privacy & Security → app passwords' },
      },
    },
  },
  {
    name: 'Proton',
    hosts: /(^|\.)(protonmail\.ch|proton\.me)$/,
    mailboxes: /^(proton\.me|protonmail\.com|pm\.me)$/,
    spf: '_spf.protonmail.ch',
    accounts: {
      proton: {
        title: 'Proton Mail',
        alsoCalled: ['protonmail'],
        host: 'smtp.protonmail.ch',
        port: 587,
        username: { is: 'the address that the token is for, of a domain of yours' },
        secret: { is: 'an SMTP token', from: 'Settings → All settings → IMAP/SMTP → SMTP tokens' },
      },
    },
  },
  {
    name: 'Zoho',
    hosts: /(^|\.)zoho\.[a-z.]+$/,
    accounts: {
      zoho: {
        title: 'Zoho Mail',
        host: 'smtp.zoho.com',
        otherHosts: [
          ['paid plans with a domain of their own', 'smtppro.zoho.com'],
          ['EU', 'smtp.zoho.eu'],
          ['EU, paid plans', 'smtppro.zoho.eu'],
        ],
        port: 465,
        username: ownAddress,
        secret: {
          is: 'the password of the mailbox; with two factors an app password',
          from: 'https://accounts.zoho.com, under Security → App Passwords',
        },
      },
    },
  },
  {
    name: 'Yahoo',
    hosts: /(^|\.)(yahoo|aol)\.com$/,
    mailboxes: /^(yahoo\.[a-z.]+|ymail\.com|rocketmail\.com|aol\.com)$/,
    accounts: {
      yahoo: {
        title: 'Yahoo Mail',
        alsoCalled: ['ymail', 'aol'],
        host: 'smtp.mail.yahoo.com',
        otherHosts: [['AOL', 'smtp.aol.com']],
        port: 465,
        username: ownAddress,
        secret: {
          is: 'an app password',
          from: 'https://login.yahoo.com/account/security, under app passwords',
        },
        sender: 'you@yahoo.com',
      },
    },
  },
  {
    name: 'GMX',
    hosts: /(^|\.)gmx\.(net|com)$/,
    mailboxes: /^gmx\.[a-z]+$/,
    accounts: {
      gmx: {
        title: 'GMX',
        host: 'mail.gmx.net',
        otherHosts: [['gmx.com', 'mail.gmx.com']],
        port: 587,
        username: ownAddress,
        secret: {
          is: 'the password of the mailbox; with two factors one for an application',
          from: 'the settings of the mailbox, where access by POP3 and IMAP has to be allowed first',
        },
        sender: 'you@gmx.net',
      },
    },
  },
  {
    name: 'WEB.DE',
    hosts: /(^|\.)web\.de$/,
    mailboxes: /^web\.de$/,
    accounts: {
      webde: {
        title: 'WEB.DE',
        alsoCalled: ['web.de', 'web'],
        host: 'smtp.web.de',
        port: 587,
        username: ownAddress,
        secret: {
          is: 'the password of the mailbox; with two factors one for an application',
          from: 'the settings of the mailbox, where access by POP3 and IMAP has to be allowed first',
        },
        sender: 'you@web.de',
      },
    },
  },
  { name: 'T-Online', hosts: /(^|\.)t-online\.de$/, mailboxes: /^t-online\.de$/ },
  { name: 'mail.com', hosts: /(^|\.)mail\.com$/, mailboxes: /^mail\.com$/ },
  { name: 'Yandex', hosts: /(^|\.)yandex\.(ru|com)$/, mailboxes: /^(yandex\.[a-z]+|ya\.ru)$/ },
];
