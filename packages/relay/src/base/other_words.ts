/**
 * What other form services, HTML and other template languages call a thing, beside its name here. A word may stand for
 * several things: meant is the one that there is at its place. So `name` means the `title` of a form, and the `field` of
 * a condition.
 */
const otherWords = {
  // The file.
  forms: 'form form_list web_forms',
  cache_ttl: 'cache ttl cache_time cache_seconds reload refresh',
  keep: 'queue spool persistence',
  alerts: 'alert alerting monitoring',
  heartbeat: 'heartbeats healthcheck health_check ping dead_mans_switch',

  // A form.
  fields: 'inputs questions controls elements form_fields form_inputs',
  outputs: 'actions destinations notifications integrations webhooks handlers targets emails',
  captcha: 'recaptcha hcaptcha turnstile',
  spam: 'antispam spam_protection spam_filter',
  confirmation:
    'success success_message message thanks thank_you thank_you_message confirmation_text confirmation_message on_success',
  confirmation_mail:
    'autoresponder auto_responder autoresponse autoreply auto_reply auto_response confirmation_email email_confirmation confirm_email receipt acknowledgement send_copy copy_to_sender reply_email',
  page: 'page_context page_url send_page include_page track_page referrer referer source_page',
  title: 'name heading header headline form_name form_title label caption',
  failure_message: 'error_message failure error_text on_error_message fail_message failed_message',
  groups: 'fieldsets fieldset sections group',
  steps: 'pages wizard step',
  redirect:
    'redirect_url redirect_to redirection next success_url success_page success_redirect redirect_on_success thank_you_page thank_you_url return_url return_to',
  submit_label:
    'submit submit_text submit_button submit_value submit_button_text button button_text button_label',
  classes: 'class class_name class_names css css_class css_classes styles theme',
  language: 'lang locale',
  languages: 'langs locales translations',
  messages: 'texts strings error_messages validation_messages',

  // Its checks.
  honeypot: 'gotcha honey honeypot_field honeypot_name bot_field netlify_honeypot bot_trap',
  min_fill_seconds: 'min_time min_seconds min_fill_time min_submit_time minimum_time time_trap',
  too_fast: 'if_too_fast on_too_fast too_quick too_soon min_fill_action',
  form_ttl: 'ttl expires expires_in expiry expiration max_age token_ttl',
  token_field: 'token_name timestamp_field',
  provider: 'type kind service',
  secret: 'secret_key private_key captcha_secret',
  site_key: 'key public_key data_sitekey',
  min_score: 'score threshold score_threshold minimum_score',
  turnstile: 'cloudflare cloudflare_turnstile',
  recaptcha_v2: 'google google_recaptcha g_recaptcha recaptcha',

  // A field.
  name: 'id key field field_name',
  label: 'title caption question field_label display_name text name',
  help: 'hint description desc help_text info tooltip instructions note subtitle',
  placeholder: 'example sample',
  required: 'mandatory is_required optional obligatory not_empty true on yes always starttls ssl',
  value: 'default default_value initial initial_value prefill preset selected id key',
  options: 'choices items enum values select_options radio_options',
  multiple: 'allow_multiple multi multi_select',
  scan: 'antivirus virus_scan virusscan clamav virus scanner',
  clamd: 'clamav address host server url socket',
  too_large: 'over_limit oversize if_too_large',
  accept:
    'accepts types file_types filetypes allowed allowed_types allowed_file_types mime mime_types extensions formats',
  max_size: 'max_file_size size size_limit maximum_size max_bytes limit',
  max_files: 'max limit max_count file_limit',
  max_length: 'max max_len max_chars max_characters maximum_length max_size',
  min_length: 'min min_len min_chars min_characters minimum_length',
  pattern: 'regex regexp match validation validation_regex',
  min: 'minimum min_value min_date start_date from',
  max: 'maximum max_value max_date end_date to',
  min_choices: 'min min_items min_selected minimum',
  max_choices: 'max max_items max_selected maximum',
  rows: 'height lines',
  step: 'increment precision',
  type: 'kind input_type field_type hidden',
  autocomplete: 'autofill',
  visible_when:
    'show_if show_when visible_if if when condition conditions conditional depends_on conditional_logic',
  field: 'name key id',
  is: 'equals equal eq value values in',
  is_not: 'not not_equals not_equal ne neq not_in',
  filled: 'exists present set not_empty is_set is_filled',

  // Its types.
  textarea:
    'multiline multiline_text long_text long_answer paragraph message comment comments memo rich_text',
  tel: 'phone telephone phone_number mobile cell',
  select: 'dropdown dropdown_list list combobox combo choice single_select pulldown menu enum',
  radios: 'radio_group radio_buttons multiple_choice single_choice',
  checkboxes: 'checkbox_group checkbox_list multi_select multi_choice checklist tags',
  checkbox:
    'boolean bool toggle switch consent acceptance accept agree agreement terms gdpr yes_no tick opt_in',
  number: 'integer int float decimal numeric range slider quantity rating',
  date: 'date_picker datetime datetime_local day birthday',
  email: 'email_address mail_to ses aws_ses amazon_ses sendmail mailer notification',
  url: 'website web link uri href endpoint address webhook webhook_url hook action target server',
  hidden: 'invisible',

  // An output.
  http_post: 'http https post url api rest http_request form_post',
  webhook: 'json json_post zapier make ifttt n8n',
  slack: 'slack_webhook slack_message slack_bot',
  discord: 'discord_webhook discord_message',
  teams: 'ms_teams microsoft_teams teams_webhook microsoft_teams_webhook',
  google_chat: 'gchat google_chat_webhook hangouts hangouts_chat',
  telegram: 'telegram_bot telegram_message tg',
  mattermost: 'mattermost_webhook',
  ntfy: 'ntfy_sh push push_notification',
  matrix: 'matrix_bot matrix_room element synapse',
  smtp: 'gmail mailgun sendgrid postmark outlook office365 mailjet smtps phpmailer',
  crm_web2lead: 'salesforce web2lead web_to_lead lead',
  to: 'recipient recipients email email_to emails send_to mail_to email_address to_email to_address address notify',
  from: 'sender from_email from_address email_from mail_from',
  configuration_set: 'config_set configset configuration_set_name ses_configuration_set',
  tags: 'tag email_tags message_tags',
  reply_to_name: 'reply_name',
  reply_to: 'reply reply_address reply_to_email',
  cc: 'copy copy_to copies carbon_copy',
  bcc: 'blind_copy blind_carbon_copy hidden_copy',
  text: 'body message content text_body plain_text template mail_text email_body',
  html: 'html_body as_html rich',
  intro: 'introduction greeting salutation',
  footer: 'signature closing outro sign_off',
  subject: 'title sub email_subject mail_subject subject_line',
  token: 'bot_token access_token api_token oauth_token',
  channel: 'channel_id channels room',
  chat_id: 'chat chats chat_ids group group_id channel room',
  room: 'room_id rooms channel',
  topic: 'topics topic_name channel',
  homeserver: 'home_server server host base_url url',
  host: 'server hostname smtp_host smtp_server mail_server address endpoint url',
  port: 'smtp_port',
  username: 'user login smtp_user smtp_username auth_user',
  password: 'pass passwd pwd smtp_pass smtp_password auth_pass app_password',
  auth: 'authentication auth_method auth_type auth_mechanism login_method mechanism sasl',
  tls: 'secure ssl encryption encrypted starttls security use_tls use_ssl',
  when: 'if only_if only_when condition conditions conditional filter filters match_if send_if send_when run_if visible_when show_if',
  mapping: 'map data payload body content params parameters fields field_map include',
  static: 'extra constants constant fixed values additional hidden_fields extra_fields',
  headers: 'header auth authorization token api_key bearer bearer_token http_headers',
  retries: 'retry attempts max_retries tries retry_count max_attempts',
  timeout: 'time_limit timeout_seconds timeout_ms',
  on_error: 'error on_fail on_failure if_error failure',
  continue: 'ignore log warn skip proceed',
  fail: 'stop error abort reject throw failure',
  opportunistic: 'false off no none optional auto never',

  // How an output gets its tokens.
  oauth2: 'oauth oauth_2',
  grant: 'grant_type flow',
  token_url:
    'token_endpoint token_uri access_token_url access_token_uri authorization_url auth_url url endpoint',
  client_id: 'consumer_key application_id app_id',
  client_secret: 'consumer_secret app_secret secret',
  client_auth: 'auth auth_method auth_style client_authentication token_endpoint_auth_method',
  scope: 'scopes permissions',
  params: 'parameters extra extra_params additional_parameters',
  service_account: 'credentials credentials_json',
  private_key: 'key pem signing_key',
  key_id: 'kid private_key_id',
  issuer: 'iss',
  audience: 'aud resource',

  // A template.
  upper: 'uppercase upcase to_upper to_uppercase strtoupper ucase',
  lower: 'lowercase downcase to_lower to_lowercase strtolower lcase',
  trim: 'strip trim_space trim_all squish',
  default: 'or else coalesce fallback default_if_none default_to default_value',
  env: 'getenv os_getenv environment environ env_var secret secrets',
  values: 'all list field_values get_all',
  join: 'implode join_list list_join',
  '.submitted_at':
    'now today timestamp submitted created_at received_at current_time datetime submission_date',
  '.page.url': 'page_url current_url page_address referrer referer http_referer source_url',
  '.page.title': 'page_title',
  '.form.id': 'form_name form_id form_title form_slug',
};

/** What stands for a field type alone, though a key has its name, too. */
const otherTypes: Readonly<Record<string, string>> = {
  text: 'string str short_text single_line single_line_text input short_answer name plain line color password time month week',
};

/** A thing that there is under a name of its own. */
export type Thing = keyof typeof otherWords;
export const things = Object.keys(otherWords) as readonly Thing[];

let byWord: ReadonlyMap<string, readonly Thing[]> | undefined;

/** All that a word from elsewhere may stand for. Case and what joins its parts do not matter: `emailTo`, `email-to`. */
export function thingsCalled(word: string): readonly Thing[] {
  byWord ??= index();
  return byWord.get(squeezed(word)) ?? [];
}

/** The type that a word from elsewhere stands for. */
export const typeCalled = (word: string): string | undefined =>
  Object.keys(otherTypes).find((type) => otherTypes[type]?.split(' ').map(squeezed).includes(squeezed(word)));

/** Made when first something is misnamed, so that no start pays for it. */
function index(): ReadonlyMap<string, readonly Thing[]> {
  const found = new Map<string, Thing[]>();
  for (const thing of things) {
    for (const word of otherWords[thing].split(' ').map(squeezed)) {
      found.set(word, [...(found.get(word) ?? []), thing]);
    }
  }
  return found;
}

const squeezed = (word: string) => word.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
