import { hubspot, listmonk, mailchimp, salesforce } from './lists.ts';
import { brevo, brevoMail, mailgun, postmark, resend, sendgrid } from './mails.ts';
import type { Service } from './service.ts';
import { slack } from './slack.ts';
import { airtable, appsScript, googleSheets, notion } from './tables.ts';
import { github, gitlab, jira, linear, zendesk } from './tickets.ts';

/** Recipes for an output type itself, whatever receives it. */
export const plain = ['crm_web2lead', 'email', 'folder', 'http_post', 's3', 'smtp', 'webhook'];

/** The service for each of the other recipes. */
export const services = {
  hubspot,
  listmonk,
  mailchimp,
  salesforce,
  slack,
  brevo,
  brevo_mail: brevoMail,
  mailgun,
  postmark,
  resend,
  sendgrid,
  airtable,
  apps_script: appsScript,
  google_sheets: googleSheets,
  notion,
  github,
  gitlab,
  jira,
  linear,
  zendesk,
} satisfies Readonly<Record<string, Service>>;

/** The service at this URL. */
export function serviceAt(url: URL): Service | undefined {
  const all: readonly Service[] = Object.values(services);
  return all.find((one) => one.isAt(url) === 'here') ?? all.find((one) => one.isAt(url));
}

/** The environment of the recipes, with keys in each service's format. */
export const recipeEnv = {
  AIRTABLE_TOKEN: 'pat0123456789abc.s3cret',
  BREVO_KEY: 'xkeysib-s3cret',
  GITHUB_TOKEN: 'github_pat_s3cret',
  GITLAB_TOKEN: 'glpat-s3cret',
  JIRA_LOGIN: 'bWVAZXhhbXBsZS5jb206dG9rZW4=',
  LINEAR_KEY: 'lin_api_s3cret',
  MAILCHIMP_LOGIN: 'cmVsYXk6a2V5LXVzMjE=',
  MAILGUN_LOGIN: 'YXBpOmtleQ==',
  NOTION_TOKEN: 'ntn_s3cret',
  NTFY_TOPIC: 'my-topic',
  POSTMARK_TOKEN: '5f0a1b2c-3d4e-5f60-7182-93a4b5c6d7e8',
  RESEND_KEY: 're_s3cret',
  SENDGRID_KEY: 'SG.s3cret',
  SF_CONSUMER_KEY: '3MVG9s3cret',
  SF_CONSUMER_SECRET: 's3cret',
  SHEET_URL: 'https://script.google.com/macros/s/AKfycbz0123456789-abc/exec',
  SLACK_URL: 'https://hooks.slack.com/services/T000/B000/XXXX',
  ZENDESK_LOGIN: 'bWVAZXhhbXBsZS5jb20vdG9rZW46a2V5',
};
