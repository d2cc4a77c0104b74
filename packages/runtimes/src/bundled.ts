import type { BundledPlugin } from '@form-relay/core/config/bundled';
import type { Plugin } from '@form-relay/core/index';
import { checkPlugin } from '@form-relay/more-fields/layout/check';
import { pagesPlugin } from '@form-relay/pages/index';

/** Plug-ins that every form uses. They load their parts when a request first needs them. */
export const always: readonly Plugin[] = [pagesPlugin, checkPlugin];

/** The plug-ins that come with the relay, outermost first. A config loads those whose keys or types it uses. */
export const bundled: readonly BundledPlugin[] = [
  {
    name: 'languages',
    owns: [
      'form language',
      'form languages',
      'form messages',
      'top language',
      'top languages',
      'top messages',
      'top language_files',
    ],
    load: async () => (await import('@form-relay/languages/index')).languagesPlugin,
  },
  {
    name: 'journal',
    owns: ['top journal', 'form stats'],
    load: async () => (await import('@form-relay/telemetry/journal/index')).journalPlugin(),
  },
  {
    name: 'inbox',
    owns: ['top inbox'],
    load: async () => (await import('@form-relay/inbox/plugin')).inboxPlugin,
  },
  {
    name: 'keys',
    owns: ['form keys_env', 'form keys_limit'],
    load: async () => (await import('@form-relay/senders/keys/index')).keysPlugin(),
  },
  {
    name: 'origins',
    owns: ['form origins', 'form origins_unknown', 'top origins', 'top origins_unknown'],
    load: async () => (await import('@form-relay/spam/origins/index')).originsPlugin(),
  },
  {
    name: 'rate_limit',
    owns: ['form rate_limit', 'top rate_limit'],
    load: async () => (await import('@form-relay/spam/rate_limit/index')).rateLimitPlugin(),
  },
  {
    name: 'page',
    owns: ['form page'],
    load: async () => (await import('@form-relay/spam/page/index')).pagePlugin,
  },
  {
    name: 'schedule',
    owns: ['form opens', 'form closes', 'form closed_text'],
    load: async () => (await import('@form-relay/spam/schedule/index')).schedulePlugin,
  },
  {
    name: 'captcha_widget',
    owns: [],
    uses: ['form captcha'],
    load: async () => (await import('@form-relay/spam/captcha/index')).captchaWidgetPlugin,
  },
  {
    name: 'proof_of_work',
    owns: [
      'spam proof_of_work',
      'topSpam proof_of_work',
      'spam proof_field',
      'topSpam proof_field',
      'spam without_script',
      'topSpam without_script',
      'spam challenge',
      'topSpam challenge',
    ],
    uses: ['spam doubt', 'topSpam doubt', 'form origins_unknown', 'top origins_unknown'],
    load: async () => (await import('@form-relay/spam/proof/index')).proofPlugin(),
  },
  {
    name: 'spam_score',
    owns: [
      'output aside',
      'spam too_fast',
      'spam signals',
      'topSpam signals',
      'spam doubt',
      'topSpam doubt',
      'spam tag_subject',
      'topSpam tag_subject',
    ],
    load: async () => (await import('@form-relay/spam/score/index')).spamScorePlugin(),
  },
  {
    name: 'files',
    owns: ['fieldType file', 'form bodies', 'form max_body', 'output attachments smtp email'],
    uses: ['fieldType signature', 'form keys_env'],
    load: async () => (await import('@form-relay/files/index')).filesPlugin,
  },
  {
    name: 'scan',
    owns: ['form scan'],
    load: async () => (await import('@form-relay/files/scan')).scanPlugin,
  },
  {
    name: 'bounces',
    owns: ['top bounces'],
    load: async () => (await import('@form-relay/visitor-mails/bounces/index')).bouncesPlugin(),
  },
  {
    name: 'visitor_mails',
    owns: ['form confirmation_mail', 'form double_opt_in', 'form resume'],
    uses: ['form once'],
    load: async () => (await import('@form-relay/visitor-mails/index')).visitorMailsPlugin(),
  },
  {
    name: 'when',
    owns: ['output when'],
    load: async () => (await import('@form-relay/more-outputs/when')).whenPlugin,
  },
  {
    name: 'pdf',
    owns: ['top pdf', 'output pdf smtp email webhook folder s3'],
    load: async () => (await import('@form-relay/more-outputs/pdf_output')).pdfPlugin,
  },
  {
    name: 'oauth2',
    owns: ['output oauth2 http_post crm_web2lead webhook', 'output auth smtp', 'output oauth2 smtp'],
    load: async () => (await import('@form-relay/more-outputs/oauth2')).oauth2Plugin,
  },
  {
    name: 'expect',
    owns: ['output expect http_post crm_web2lead webhook'],
    load: async () => (await import('@form-relay/more-outputs/expect')).expectPlugin,
  },
  {
    name: 'mail_headers',
    owns: [
      'output cc smtp email',
      'output bcc smtp email',
      'output reply_to smtp email',
      'output reply_to_name smtp email',
      'output headers smtp email',
      'output from smtp email',
    ],
    load: async () => (await import('@form-relay/more-outputs/mail_headers')).mailHeadersPlugin,
  },
  {
    name: 'mail_words',
    owns: [
      'output text smtp email',
      'output html smtp email',
      'output intro smtp email',
      'output footer smtp email',
    ],
    // The letter of alerts.
    uses: ['top alerts'],
    load: async () => (await import('@form-relay/more-outputs/mail_words')).mailWordsPlugin,
  },
  {
    name: 'smtp_options',
    owns: ['output tls smtp', 'output mails_per_connection smtp', 'output dkim smtp'],
    load: async () => (await import('@form-relay/more-outputs/smtp_options')).smtpOptionsPlugin,
  },
  {
    name: 'ses_options',
    owns: ['output configuration_set email', 'output tags email'],
    load: async () => (await import('@form-relay/more-outputs/ses_options')).sesOptionsPlugin,
  },
  {
    name: 'webhook',
    owns: ['outputType webhook'],
    load: async () => (await import('@form-relay/more-outputs/webhook')).webhookPlugin,
  },
  {
    name: 'slack',
    owns: ['outputType slack'],
    load: async () => (await import('@form-relay/more-outputs/slack')).slackPlugin,
  },
  {
    name: 'discord',
    owns: ['outputType discord'],
    load: async () => (await import('@form-relay/more-outputs/discord')).discordPlugin,
  },
  {
    name: 'teams',
    owns: ['outputType teams'],
    load: async () => (await import('@form-relay/more-outputs/teams')).teamsPlugin,
  },
  {
    name: 'google_chat',
    owns: ['outputType google_chat'],
    load: async () => (await import('@form-relay/more-outputs/google_chat')).googleChatPlugin,
  },
  {
    name: 'telegram',
    owns: ['outputType telegram'],
    load: async () => (await import('@form-relay/more-outputs/telegram')).telegramPlugin,
  },
  {
    name: 'mattermost',
    owns: ['outputType mattermost'],
    load: async () => (await import('@form-relay/more-outputs/mattermost')).mattermostPlugin,
  },
  {
    name: 'ntfy',
    owns: ['outputType ntfy'],
    load: async () => (await import('@form-relay/more-outputs/ntfy')).ntfyPlugin,
  },
  {
    name: 'matrix',
    owns: ['outputType matrix'],
    load: async () => (await import('@form-relay/more-outputs/matrix')).matrixPlugin,
  },
  {
    name: 'folder',
    owns: ['outputType folder'],
    load: async () => (await import('@form-relay/more-outputs/folder')).folderPlugin,
  },
  {
    name: 's3',
    owns: ['outputType s3'],
    load: async () => (await import('@form-relay/more-outputs/s3')).s3Plugin,
  },
  {
    name: 'readiness',
    owns: [],
    uses: [
      'outputType folder',
      'form places',
      'form option_places',
      'form once',
      'form links',
      'form keys_env',
    ],
    load: async () => (await import('@form-relay/capacity/readiness')).readinessPlugin(),
  },
  {
    name: 'counters',
    owns: ['top counted_in'],
    uses: ['form places', 'form option_places', 'form once', 'form links', 'form keys_env', 'top bounces'],
    load: async () => (await import('@form-relay/capacity/counters/index')).countersPlugin(),
  },
  {
    name: 'places',
    owns: [
      'form places',
      'form option_places',
      'form when_full',
      'form full_text',
      'form once',
      'output waiting',
    ],
    load: async () => (await import('@form-relay/capacity/places/index')).placesPlugin,
  },
  {
    name: 'links',
    owns: ['form links'],
    load: async () => (await import('@form-relay/senders/links/index')).linksPlugin,
  },
  {
    name: 'receipt',
    owns: ['form receipt'],
    load: async () => (await import('@form-relay/senders/receipt/index')).receiptPlugin,
  },
  {
    name: 'queue',
    owns: ['form keep', 'form kept_message', 'top keep', 'top alerts', 'top heartbeat'],
    takesEvents: true,
    load: async () => (await import('@form-relay/queue/queue_plugin')).queuePlugin(),
  },
  {
    name: 'pattern',
    owns: ['field pattern text email url tel textarea'],
    load: async () => (await import('@form-relay/more-fields/pattern/index')).patternPlugin(),
  },
  {
    name: 'classes',
    owns: ['form classes', 'top classes'],
    load: async () => (await import('@form-relay/more-fields/layout/classes')).classesPlugin,
  },
  {
    name: 'groups',
    owns: ['form groups'],
    load: async () => (await import('@form-relay/more-fields/layout/groups')).groupsPlugin,
  },
  {
    name: 'steps',
    owns: ['form steps'],
    load: async () => (await import('@form-relay/more-fields/layout/steps')).stepsPlugin,
  },
  {
    name: 'width',
    owns: ['field width'],
    load: async () => (await import('@form-relay/more-fields/layout/width')).widthPlugin,
  },
  {
    name: 'from_query',
    owns: ['field from_query'],
    uses: ['fieldType consent', 'fieldType signature'],
    load: async () => (await import('@form-relay/more-fields/layout/from_query')).fromQueryPlugin,
  },
  {
    name: 'remember',
    owns: ['form remember', 'field remember'],
    load: async () => (await import('@form-relay/more-fields/layout/remember')).rememberPlugin,
  },
  {
    name: 'country',
    owns: ['fieldType country'],
    load: async () => (await import('@form-relay/more-fields/choices/country')).countryPlugin,
  },
  {
    name: 'phone',
    owns: ['field country tel'],
    load: async () => (await import('@form-relay/more-fields/choices/phone')).phonePlugin,
  },
  {
    name: 'rating',
    owns: ['fieldType rating'],
    load: async () => (await import('@form-relay/more-fields/choices/rating')).ratingPlugin,
  },
  {
    name: 'scale',
    owns: ['fieldType scale'],
    load: async () => (await import('@form-relay/more-fields/choices/scale')).scalePlugin,
  },
  {
    name: 'range',
    owns: ['fieldType range'],
    load: async () => (await import('@form-relay/more-fields/choices/range')).rangePlugin,
  },
  {
    name: 'ranking',
    owns: ['fieldType ranking'],
    load: async () => (await import('@form-relay/more-fields/choices/ranking')).rankingPlugin,
  },
  {
    name: 'consent',
    owns: ['fieldType consent'],
    load: async () => (await import('@form-relay/more-fields/choices/consent')).consentPlugin,
  },
  {
    name: 'signature',
    owns: ['fieldType signature'],
    load: async () => (await import('@form-relay/more-fields/choices/signature')).signaturePlugin,
  },
  {
    name: 'address',
    owns: ['fieldType address'],
    load: async () => (await import('@form-relay/more-fields/composite/address')).addressPlugin,
  },
  {
    name: 'matrix_field',
    owns: ['fieldType matrix'],
    load: async () => (await import('@form-relay/more-fields/composite/matrix')).matrixPlugin,
  },
  {
    name: 'repeat',
    owns: ['fieldType repeat'],
    load: async () => (await import('@form-relay/more-fields/composite/repeat')).repeatPlugin,
  },
  {
    name: 'computed',
    owns: ['fieldType computed'],
    load: async () => (await import('@form-relay/more-fields/computed/index')).computedPlugin,
  },
  {
    name: 'time_zone',
    owns: ['form time_zone', 'top time_zone'],
    load: async () => (await import('@form-relay/more-fields/times/time_zone')).timeZonePlugin,
  },
  {
    name: 'closed',
    owns: ['field closed date'],
    load: async () => (await import('@form-relay/more-fields/times/closed')).closedPlugin,
  },
  {
    name: 'time',
    owns: ['fieldType time'],
    load: async () => (await import('@form-relay/more-fields/times/time')).timePlugin,
  },
  {
    name: 'datetime',
    owns: ['fieldType datetime'],
    load: async () => (await import('@form-relay/more-fields/times/datetime')).datetimePlugin,
  },
  {
    name: 'month',
    owns: ['fieldType month'],
    load: async () => (await import('@form-relay/more-fields/times/month')).monthPlugin,
  },
  {
    name: 'archive',
    owns: ['form archive', 'top archive'],
    load: async () => (await import('@form-relay/stored/archive/retention')).retentionPlugin(),
  },
  {
    name: 'keep_dropped',
    owns: ['spam keep_dropped', 'topSpam keep_dropped'],
    load: async () => (await import('@form-relay/queue/dropped/keep_dropped')).keepDroppedPlugin(),
  },
];
