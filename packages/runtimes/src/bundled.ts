import type { Plugin } from '@form-relay/core/index';
import { formDataPlugin } from '@form-relay/form-data/index';
import { mailChecks } from '@form-relay/mail-dns/index';
import { checkPlugin } from '@form-relay/more-fields/layout/check';
import { pagesPlugin } from '@form-relay/pages/index';
import { type BundledPlugin, secretsOf } from '@form-relay/plugin-host/bundled_plugin';
import { formToken } from '@form-relay/spam/form_token';
import { honeypot } from '@form-relay/spam/honeypot';
import keysByName from './bundled_keys.json' with { type: 'json' };
import { catalogue } from './catalogue.ts';

const keys: Readonly<Record<string, Omit<BundledPlugin, 'name' | 'load'>>> = keysByName;

const spamBlock: Plugin = { name: 'spam_block', features: [honeypot, formToken] };

/** Plug-ins that every form uses. Each plug-in loads its parts when a request first needs them. */
export const always: readonly Plugin[] = [formDataPlugin, spamBlock, pagesPlugin, checkPlugin, mailChecks];

/** A plug-in with state exports a function, which makes a plug-in for each relay. */
export interface Unit {
  readonly plugin: Plugin | (() => Plugin);
  /** Config keys and types that also load this plug-in. */
  readonly uses?: readonly string[];
}

/** The modules of the bundled plug-ins, outermost first. */
export const units: Readonly<Record<string, () => Promise<Unit>>> = {
  captcha: () => import('@form-relay/spam/captcha/captcha'),
  languages: () => import('@form-relay/languages/index'),
  inbox: () => import('@form-relay/stored/inbox_key'),
  accept_undeclared: () => import('@form-relay/more-fields/rules/undeclared'),
  changes: () => import('@form-relay/changes/index'),
  keys: () => import('@form-relay/senders/keys/index'),
  agents: () => import('@form-relay/agents/index'),
  origins: () => import('@form-relay/spam/origins/index'),
  rate_limit: () => import('@form-relay/spam/rate_limit/index'),
  page: () => import('@form-relay/spam/page/index'),
  schedule: () => import('@form-relay/capacity/schedule'),
  captcha_widget: () => import('@form-relay/spam/captcha/widget'),
  proof_of_work: () => import('@form-relay/spam/proof/index'),
  min_fill: () => import('@form-relay/spam/min_fill'),
  spam_score: () => import('@form-relay/spam/score/index'),
  files: () => import('@form-relay/files/index'),
  visitor_mails: () => import('@form-relay/visitor-mails/index'),
  webmcp: () => import('@form-relay/form-data/webmcp'),
  listed: () => import('@form-relay/form-data/listed'),
  thanks: () => import('@form-relay/pages/thanks'),
  look: () => import('@form-relay/pages/look/index'),
  when: () => import('@form-relay/more-outputs/when'),
  pdf: () => import('@form-relay/more-outputs/pdf_output'),
  oauth2: () => import('@form-relay/more-outputs/oauth2'),
  expect: () => import('@form-relay/more-outputs/expect'),
  mail_headers: () => import('@form-relay/more-outputs/mail_headers'),
  mail_words: () => import('@form-relay/more-outputs/mail_words'),
  smtp_options: () => import('@form-relay/more-outputs/smtp_options'),
  webhook: () => import('@form-relay/more-outputs/webhook'),
  slack: () => import('@form-relay/more-outputs/slack'),
  folder: () => import('@form-relay/more-outputs/folder'),
  s3: () => import('@form-relay/more-outputs/s3'),
  readiness: () => import('@form-relay/capacity/readiness'),
  stores: () => import('@form-relay/stores/index'),
  counters: () => import('@form-relay/capacity/counters/index'),
  places: () => import('@form-relay/capacity/places/index'),
  links: () => import('@form-relay/senders/links/index'),
  ask: () => import('@form-relay/ask/index'),
  receipt: () => import('@form-relay/senders/receipt/index'),
  queue: () => import('@form-relay/queue/queue_plugin'),
  canary: () => import('@form-relay/canary/index'),
  approvals: () => import('@form-relay/approvals/index'),
  pattern: () => import('@form-relay/more-fields/pattern/index'),
  values: () => import('@form-relay/more-fields/rules/values'),
  messages: () => import('@form-relay/more-fields/rules/messages'),
  classes: () => import('@form-relay/more-fields/layout/classes'),
  groups: () => import('@form-relay/more-fields/layout/groups'),
  affixes: () => import('@form-relay/more-fields/layout/affixes'),
  attributes: () => import('@form-relay/more-fields/layout/attributes'),
  markdown_notes: () => import('@form-relay/more-fields/layout/markdown_notes'),
  width: () => import('@form-relay/more-fields/layout/width'),
  from_query: () => import('@form-relay/more-fields/layout/from_query'),
  country: () => import('@form-relay/more-fields/choices/country'),
  phone: () => import('@form-relay/more-fields/choices/phone'),
  rating: () => import('@form-relay/more-fields/choices/ratings'),
  range: () => import('@form-relay/more-fields/choices/range'),
  consent: () => import('@form-relay/more-fields/choices/consent'),
  address: () => import('@form-relay/more-fields/composite/address'),
  grid: () => import('@form-relay/more-fields/composite/grid'),
  repeat: () => import('@form-relay/more-fields/composite/repeat'),
  time_zone: () => import('@form-relay/more-fields/times/time_zone'),
  time: () => import('@form-relay/more-fields/times/time'),
  datetime: () => import('@form-relay/more-fields/times/datetime'),
  archive: () => import('@form-relay/stored/archive/retention'),
  clients: () => import('@form-relay/client-configs/index'),
  keep_dropped: () => import('@form-relay/queue/dropped/keep_dropped'),
  ...Object.fromEntries(
    Object.entries(catalogue).map(([name, load]) => [
      name,
      async () => (await import('@form-relay/plugin-host/catalogue_unit')).loadUnit(load),
    ]),
  ),
};

/** A config loads the plug-ins whose keys or types it uses. `npm run generate` lists the keys. */
export const bundled: readonly BundledPlugin[] = Object.entries(units).map(([name, load]) => ({
  name,
  owns: [],
  ...keys[name],
  load: async () => {
    const { plugin } = await load();
    return typeof plugin === 'function' ? plugin() : plugin;
  },
}));

/** The variables that hold the plug-ins' secrets. */
export const secrets: readonly string[] = secretsOf(bundled);
