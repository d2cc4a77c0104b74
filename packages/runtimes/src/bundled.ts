import type { BundledPlugin } from '@form-relay/config/bundled_plugin';
import type { Plugin } from '@form-relay/core/index';
import { checkPlugin } from '@form-relay/more-fields/layout/check';
import { pagesPlugin } from '@form-relay/pages/index';

/** Plug-ins that every form uses. Each loads its parts when a request first needs them. */
export const always: readonly Plugin[] = [pagesPlugin, checkPlugin];

interface Listed extends Omit<BundledPlugin, 'name' | 'load'> {
  /** Loads its module. A plug-in with state is a function, which makes one for each relay. */
  readonly load: () => Promise<{ readonly plugin: Plugin | (() => Plugin) }>;
}

/** Keys of outputs of some types. */
const outputKeys = (keys: string, types: string) => keys.split(' ').map((key) => `output ${key} ${types}`);

/** The keys that use a store of counts. */
const counting = ['form places', 'form option_places', 'form once', 'form keys_env', 'field verify email'];

const list: Readonly<Record<string, Listed>> = {
  captcha: { owns: ['form captcha'], load: () => import('@form-relay/spam/captcha/captcha') },
  languages: {
    owns: [
      'form language',
      'form languages',
      'form messages',
      'top language',
      'top languages',
      'top messages',
    ],
    load: () => import('@form-relay/languages/index'),
  },
  inbox: { owns: ['top inbox'], load: () => import('@form-relay/stored/inbox_key') },
  accept_undeclared: {
    owns: ['form accept_undeclared'],
    load: () => import('@form-relay/more-fields/rules/undeclared'),
  },
  keys: { owns: ['form keys_env', 'form keys_limit'], load: () => import('@form-relay/senders/keys/index') },
  origins: {
    owns: ['form origins', 'top origins'],
    load: () => import('@form-relay/spam/origins/index'),
  },
  rate_limit: {
    owns: ['form rate_limit', 'top rate_limit'],
    load: () => import('@form-relay/spam/rate_limit/index'),
  },
  page: { owns: ['form page'], load: () => import('@form-relay/spam/page/index') },
  schedule: {
    owns: ['form opens', 'form closes', 'form closed_text'],
    load: () => import('@form-relay/capacity/schedule/index'),
  },
  captcha_widget: { owns: [], uses: ['form captcha'], load: () => import('@form-relay/spam/captcha/widget') },
  proof_of_work: {
    owns: ['spam proof_of_work', 'topSpam proof_of_work'],
    uses: ['spam doubt', 'topSpam doubt'],
    load: () => import('@form-relay/spam/proof/index'),
  },
  min_fill: {
    owns: ['spam min_fill_seconds', 'spam form_ttl', 'spam token_field'],
    // The name of its token is reserved even while the check is off.
    uses: ['form spam'],
    load: () => import('@form-relay/spam/min_fill'),
  },
  spam_score: {
    owns: ['output aside', 'spam too_fast', 'spam signals', 'topSpam signals', 'spam doubt', 'topSpam doubt'],
    load: () => import('@form-relay/spam/score/index'),
  },
  files: {
    owns: ['fieldType file', 'form bodies', 'form max_body', 'output attachments smtp email'],
    uses: ['form keys_env'],
    load: () => import('@form-relay/files/index'),
  },
  visitor_mails: {
    owns: ['form confirmation_mail', 'form double_opt_in', 'form verification_mail', 'field verify email'],
    uses: ['form once'],
    load: () => import('@form-relay/visitor-mails/index'),
  },
  thanks: {
    owns: ['form thanks', 'form redirect_with'],
    load: () => import('@form-relay/pages/thanks'),
  },
  when: { owns: ['output when'], load: () => import('@form-relay/more-outputs/when') },
  pdf: {
    owns: ['top pdf', 'output pdf smtp email folder s3'],
    load: () => import('@form-relay/more-outputs/pdf_output'),
  },
  oauth2: {
    owns: ['output oauth2 http_post crm_web2lead webhook', 'output auth smtp', 'output oauth2 smtp'],
    load: () => import('@form-relay/more-outputs/oauth2'),
  },
  expect: {
    owns: ['output expect http_post crm_web2lead webhook'],
    load: () => import('@form-relay/more-outputs/expect'),
  },
  mail_headers: {
    owns: outputKeys('cc bcc reply_to reply_to_name headers from', 'smtp email'),
    load: () => import('@form-relay/more-outputs/mail_headers'),
  },
  mail_words: {
    owns: outputKeys('text html intro footer', 'smtp email'),
    // The mails of alerts.
    uses: ['top alerts'],
    load: () => import('@form-relay/more-outputs/mail_words'),
  },
  smtp_options: {
    owns: outputKeys('tls mails_per_connection dkim', 'smtp'),
    load: () => import('@form-relay/more-outputs/smtp_options'),
  },
  ses_options: {
    owns: outputKeys('configuration_set tags', 'email'),
    load: () => import('@form-relay/more-outputs/ses_options'),
  },
  webhook: { owns: ['outputType webhook'], load: () => import('@form-relay/more-outputs/webhook') },
  slack: { owns: ['outputType slack'], load: () => import('@form-relay/more-outputs/slack') },
  folder: { owns: ['outputType folder'], load: () => import('@form-relay/more-outputs/folder') },
  s3: { owns: ['outputType s3'], load: () => import('@form-relay/more-outputs/s3') },
  readiness: {
    owns: [],
    uses: ['outputType folder', ...counting],
    load: () => import('@form-relay/capacity/readiness'),
  },
  counters: {
    owns: ['top counted_in'],
    uses: counting,
    load: () => import('@form-relay/capacity/counters/index'),
  },
  places: {
    owns: ['form places', 'form option_places', 'form full_text', 'form once', 'output waiting'],
    load: () => import('@form-relay/capacity/places/index'),
  },
  links: { owns: ['form links'], load: () => import('@form-relay/senders/links/index') },
  receipt: { owns: ['form receipt'], load: () => import('@form-relay/senders/receipt/index') },
  queue: {
    owns: ['form keep', 'form kept_message', 'top keep', 'top alerts'],
    takesEvents: true,
    load: () => import('@form-relay/queue/queue_plugin'),
  },
  pattern: {
    owns: ['field pattern text email url tel textarea'],
    uses: ['condition matches'],
    load: () => import('@form-relay/more-fields/pattern/index'),
  },
  values: {
    owns: ['field same_as', 'field differs_from', 'field one_of text'],
    uses: ['field limit'],
    load: () => import('@form-relay/more-fields/rules/values'),
  },
  messages: { owns: ['field messages'], load: () => import('@form-relay/more-fields/rules/messages') },
  classes: {
    owns: ['form classes', 'top classes', 'field classes'],
    load: () => import('@form-relay/more-fields/layout/classes'),
  },
  groups: {
    owns: ['form groups', 'form steps', 'field remember'],
    load: () => import('@form-relay/more-fields/layout/groups'),
  },
  affixes: {
    owns: ['field prefix text email url number', 'field suffix text email url number'],
    load: () => import('@form-relay/more-fields/layout/affixes'),
  },
  attributes: {
    owns: ['field attributes text email url tel textarea number date time datetime select country'],
    load: () => import('@form-relay/more-fields/layout/attributes'),
  },
  markdown_notes: {
    owns: ['form markdown_notes'],
    load: () => import('@form-relay/more-fields/layout/markdown_notes'),
  },
  width: { owns: ['field width'], load: () => import('@form-relay/more-fields/layout/width') },
  from_query: {
    owns: ['field from_query'],
    uses: ['fieldType consent'],
    load: () => import('@form-relay/more-fields/layout/from_query'),
  },
  country: { owns: ['fieldType country'], load: () => import('@form-relay/more-fields/choices/country') },
  phone: { owns: ['field country tel'], load: () => import('@form-relay/more-fields/choices/phone') },
  rating: {
    owns: ['fieldType rating', 'fieldType scale'],
    load: () => import('@form-relay/more-fields/choices/ratings'),
  },
  range: { owns: ['fieldType range'], load: () => import('@form-relay/more-fields/choices/range') },
  consent: { owns: ['fieldType consent'], load: () => import('@form-relay/more-fields/choices/consent') },
  address: { owns: ['fieldType address'], load: () => import('@form-relay/more-fields/composite/address') },
  grid: {
    owns: ['fieldType grid'],
    uses: ['fieldType matrix'],
    load: () => import('@form-relay/more-fields/composite/grid'),
  },
  repeat: { owns: ['fieldType repeat'], load: () => import('@form-relay/more-fields/composite/repeat') },
  time_zone: {
    owns: ['form time_zone', 'top time_zone'],
    load: () => import('@form-relay/more-fields/times/time_zone'),
  },
  time: { owns: ['fieldType time'], load: () => import('@form-relay/more-fields/times/time') },
  datetime: { owns: ['fieldType datetime'], load: () => import('@form-relay/more-fields/times/datetime') },
  archive: {
    owns: ['form archive', 'top archive'],
    uses: ['spam keep_dropped', 'topSpam keep_dropped'],
    load: () => import('@form-relay/stored/archive/retention'),
  },
  keep_dropped: {
    owns: ['spam keep_dropped', 'topSpam keep_dropped'],
    load: () => import('@form-relay/queue/dropped/keep_dropped'),
  },
};

/** The plug-ins that come with the relay, outermost first. A config loads those whose keys or types it uses. */
export const bundled: readonly BundledPlugin[] = Object.entries(list).map(([name, { load, ...listed }]) => ({
  name,
  ...listed,
  load: async () => {
    const { plugin } = await load();
    return typeof plugin === 'function' ? plugin() : plugin;
  },
}));
