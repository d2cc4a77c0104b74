/**
 * What can be wrong with a config, or worth knowing though it loads. A code and its parameters carry the meaning. The
 * words beside each code are for people alone.
 */
import type { RecipientProblem, UnusedBucket } from './client_error.ts';
import { say as sayFailure } from './client_error_words.ts';
import { sizeInWords } from './files.ts';
import { type NumberLimits, numberWithin } from './number_limits.ts';
import type { Path, Place } from './place.ts';

const templateInYaml = `and in YAML single ones around it all: '{{ env "NAME" }}'`;

const found =
  (says: string) =>
  ({ found }: Found) =>
    `found ${shown(found)}; ${says}`;

/**
 * What each code means, in words for the owner: what was found, and what to write instead. A parameter called `found` is what
 * stands in the config; `say` leaves it out where that may be a secret.
 */
const words = {
  // Values of the wrong kind.
  not_text: found('expected text'),
  not_a_flag: ({ found, near }: Found & Near) =>
    `found ${shown(found)}; expected true or false${meant(near)}`,
  not_a_number: ({ found, near, ...limits }: Found & Near & NumberLimits) =>
    `found ${shown(found)}; expected a ${numberWithin(limits)}${meant(near)}`,
  not_a_duration: found('expected a duration such as 30s or 2h'),
  not_a_size: ({ found, near }: Found & Near) =>
    `found ${shown(found)}; expected a size such as 500KB or 5MB${meant(near)}`,
  size_too_small: ({ found, leastBytes }: Found & { leastBytes: number }) =>
    `found ${shown(found)}; it must be at least ${sizeInWords(leastBytes)}`,
  not_a_kind_of_file: ({ found, near, names }: Found & Near & { names: readonly string[] }) =>
    `found ${shown(found)}; expected a kind of file, such as ${names.join(', ')}, docx, image/png or .dwg${meant(near)}`,
  media_type_unknown: ({ found, near }: Found & Near) =>
    `found ${shown(found)}; its first bytes are not known here: write the ending of its names instead, such as .dwg${meant(near)}`,
  media_type_of_many: ({ found, endings }: Found & { endings: readonly string[] }) =>
    `found ${shown(found)}; it says too little of what can do harm: write the endings that you want, such as ${endings.map((ending) => `.${ending}`).join(', ')}`,
  scan_of_no_files: 'the form has no field of type file, so there is nothing to scan',
  not_a_socket_address: found(
    'expected where it listens: host:port such as clamav:3310, or the path of a socket such as /run/clamav/clamd.ctl',
  ),
  file_over_body: ({ each, all }: { each: number; all: number }) =>
    `each file may have ${sizeInWords(each)}, and the whole form only ${sizeInWords(all)} (\`max_body\`)`,
  max_files_of_one: 'the field takes one file; write multiple: true for several',
  double_opt_in_of_files:
    'the link in its mail cannot hold files, so a form with a field of type file has none; leave out one of the two',
  condition_on_files: 'visitors choose files of any name: a field of type file can only be `filled`, or not',
  key_of_no_file: ({ key }: { key: string }) =>
    `a field of type file has no \`${key}\`: browsers let nobody but the visitor choose a file; leave it out`,
  not_a_list: ({ found }: Found) =>
    `found ${shown(found)}; expected a list${isText(found) ? listed(found) : ', in which every item starts with a dash and a space'}`,
  not_a_map: ({ found, example }: Found & { example: string | undefined }) =>
    `found ${shown(found)}; expected a map${example === undefined ? '' : ` such as ${example}`}${Array.isArray(found) ? ', without dashes' : ''}`,
  not_a_url: found('expected a URL'),
  not_a_variable_name:
    'expected the name of an environment variable, such as HOOK_URL; what it holds stands in the environment alone',
  not_a_host: found('expected a host name without port or scheme'),
  not_a_mailbox: ({ found }: Found) =>
    `found ${shown(found)}; expected one address like forms@example.com, or one with a name: Example <forms@example.com>${hintOfMailbox(found)}`,
  not_a_mailbox_or_template:
    'expected one address like name@example.com, one with a name as in Name <name@example.com>, or a template',
  not_a_day: found('expected a day that exists, written as 2030-12-31'),
  not_a_step: found('expected a number above 0, or any'),
  not_a_mapping: found('expected a map of output keys to field names, or "*" for every field'),
  not_a_choice: ({ found, choices, near }: Found & Near & { choices: readonly string[] }) =>
    near !== undefined && choices.length > 4
      ? `found ${shown(found)}${meant(near)}`
      : `found ${shown(found)}; expected ${oneOf(choices)}${meant(near)}`,
  not_a_pattern: 'this is not a regular expression that browsers accept (HTML uses the v flag)',
  not_class_names: found(
    'class names stand with spaces between them, without dots, commas or quotes: form-control mb-3',
  ),
  name_empty: 'found empty text; expected a name',
  name_with_controls: 'found a control character; names are plain text',
  label_empty: 'found empty text; expected what the visitor reads',
  text_empty: 'found empty text; expected some',
  list_too_short: ({ least }: { least: number }) => `found an empty list; expected at least ${least}`,

  not_understood: 'this value cannot stand here',
  dash_without_space: 'the dash that starts an item needs a space after it, as in "- name: email"',
  quotes_not_straight: 'to YAML, curly quotes are no quotes but text; write straight ones: "…"',
  quotes_kept:
    'the curly quotes are part of the text; write straight ones instead: "…", or keep them inside straight ones: "“…”"',

  // Durations.
  duration_negative: found('a duration cannot be negative'),
  duration_malformed: ({ found, near }: Found & Near) =>
    `found ${shown(found)}; write a duration such as 30s, 10m or 1h30m${meant(near)}`,
  duration_without_unit: ({ found, number }: Found & { number: string }) =>
    `found ${shown(found)}; the unit is missing; ${number}s means ${number} seconds`,
  duration_unit_unknown: ({ found, unit, near }: Found & Near & { unit: string }) =>
    `found ${shown(found)}; "${unit}" is not a unit; the units are ms, s, m and h${meant(near)}`,
  duration_endless: found('that is longer than a duration can be (about 292 years)'),
  duration_too_short: ({ found, leastMs }: Found & { leastMs: number }) =>
    `found ${shown(found)}; the least is ${inUnits(leastMs)}`,
  duration_too_long: ({ found, mostMs }: Found & { mostMs: number }) =>
    `found ${shown(found)}; the most is ${inUnits(mostMs)}`,

  // URLs.
  url_templated: 'a url is never templated; write it out',
  place_templated: 'where submissions are kept is never templated; write it out',
  url_relative: 'this is not an absolute URL; start it with https://',
  url_of_no_web: 'only http:// and https:// URLs can be used',
  url_with_credentials: 'a url cannot hold credentials; put them in headers',

  // What a webhook sends, and what it expects.
  body_of_no_tree: 'expected a map or a list: the JSON to send, as YAML',
  body_template_in_key: 'a template can stand in a value, and not in a key',
  body_word_unknown: ({ word, near }: Near & { word: string }) =>
    `"${word}" is none of $fields and $submission${meant(near)}; a field's own value is {$field: its_name}`,
  body_word_as_key: ({ word }: { word: string }) =>
    `${word} stands where a value stands, as in "answers: ${word}"`,
  body_field_unnamed: 'expected the name of a field, as in {$field: email}',
  body_field_not_alone: '$field stands alone in its map, as in "topics: {$field: topics}"',
  key_without_effect_beside_body: ({ key }: { key: string }) =>
    `body says all that is sent, so ${key} has no effect; put it into body`,
  expect_without_one_test: 'say one of is, is_not and filled',
  expect_way_of_other_tools:
    'write keys with dots between them, without $ and brackets; in a list, a place from 0: data.0.code',
  expect_of_redirect: ({ status }: { status: number }) =>
    `${status} is followed to where it leads, so no answer has it`,
  expect_text_empty: 'every answer contains the empty text, so this says nothing',
  expect_of_no_body: 'an answer with this status has no body, so this can never hold',
  expect_of_no_redirect: 'an answer with this status leads nowhere, so this can never hold',
  expect_contradictory: ({ at }: { at: string }) =>
    `another condition says otherwise of ${at}, so both can never hold`,

  address_twice: 'url says where to send it already; keep one of the two',
  address_beside_token: 'a bot with a token needs no address of a webhook; keep one of the two',
  address_beside_topic: 'topic says where to send it already; keep one of the two',
  url_without_topic: 'the address ends with no topic; write https://ntfy.sh/your-topic, or use the key topic',
  not_a_topic: 'a topic has letters, digits, _ and -, at most 64',
  not_a_room_id: 'expected the id of a room, which begins with "!"; a name with "#" is none',
  room_submitted: 'a visitor must not choose who gets it; write it here, or use {{ env "NAME" }}',

  // Keys.
  key_missing: ({ key }: { key: string }) => `${key} is missing`,
  key_unknown: ({ known, near }: Near & { known: readonly string[] }) =>
    `unknown key${meant(near) || `; expected ${oneOf(known)}`}`,
  key_elsewhere: ({ key, near, home }: Near & { key: string; home: KeyHome }) =>
    `unknown key${meant(near) || ' here'}; ${near ?? key} belongs ${belongs(near ?? key, home)}`,
  form_outside_forms: ({ hasForms }: { hasForms: boolean }) =>
    `unknown key here; this looks like a form: ${hasForms ? 'indent it, so that it stands below forms' : 'write `forms:` on a line above it, and indent it'}`,
  form_without_name: ({ key }: { key: string }) =>
    `the form has no name: write one, such as \`contact:\`, on a line above ${key}, and indent what belongs to it`,
  key_of_environment: ({ variable }: { variable: string }) =>
    `this is no key of the config but a variable of the environment: ${variable}`,
  no_break_space: 'this holds a no-break space, which is no space to YAML; write plain spaces instead',
  merge_key: 'merge keys are not part of YAML 1.2; use an alias for a whole block, or write the keys out',
  form_name_malformed: 'a form name is plain text of at least one character',
  form_name_of_dots: 'this name cannot stand in a URL',
  form_name_long_for_folder:
    'the name of this form is too long to name a folder, in which each letter beyond a to z takes 6 bytes or more; shorten it',
  output_key_malformed: 'an output key is plain text of at least one character',
  header_name_malformed: 'this is not a header name',
  mail_header_name_malformed: 'this is not a header name: letters, digits and hyphens, at most 70',
  mail_header_reserved: ({ name }: Name) =>
    `${name} is written by the relay or by mail servers, and cannot be configured`,
  mail_words_without_html: ({ key }: { key: string }) =>
    `\`${key}\` is a part of HTML mails; add \`html: true\`, or write it into \`text\``,
  mail_link_with_template:
    'a link is yours alone, with no template in it: what visitors write could lead anywhere; write the template before or after it',
  mail_link_without_site: ({ href }: { href: string }) =>
    `a mail stands on no site: write the whole address, such as https://example.com${href}`,
  header_reserved: ({ name }: Name) => `${name} is set by HTTP itself and cannot be configured`,

  // What fields say.
  value_below: ({ value, key, least }: Limited & { least: number }) =>
    `found ${value}; expected at least ${key}, which is ${least}`,
  value_above: ({ value, key, most }: Limited & { most: number }) =>
    `found ${value}; expected at most ${key === 'options' ? 'the number of options' : key}, which is ${most}`,
  day_too_early: ({ value, key, earliest }: { value: string; key: string; earliest: string }) =>
    `found ${value}; expected ${key}, which is ${earliest}, or later`,
  option_twice: ({ value }: { value: string }) => `"${value}" is an option already`,
  value_no_option: ({ value }: { value: string }) => `"${value}" is not one of the options`,
  value_not_of_the_box: ({ found, value }: Found & { value: string }) =>
    `found ${shown(found)}; expected checked_value, which is "${value}"`,
  pattern_exponential:
    'some values take exponential time to match, in browsers too: like (a+)+, this can read the same text in many ways',
  no_field_of_files: found('files are a field of type file'),
  files_go_nowhere: ({ name }: { name: string }) =>
    `no output takes the files of "${name}"; they get their names and sizes alone`,
  not_attachments: found('expected a list of file fields, or "*" for the files of all of them'),
  field_without_files: ({ name }: Name) => `"${name}" is no field of type file`,
  no_field_of_captcha: found(
    'a captcha is no field; write it beside fields: captcha: {provider: …, secret: …}',
  ),
  no_field_of_honeypot: found('a honeypot is no field; write it beside fields: spam: {honeypot: website}'),
  no_field_of_note: found('text between fields is no field; write it as an entry of its own: - note: …'),
  no_field_of_button: found('the button comes by itself; its words are submit_label, beside fields'),
  value_refused: ({ says }: { says: string }) => `the form refuses this: "${says}"`,
  max_length_over_the_cap: ({ value, most }: { value: number; most: number }) =>
    `found ${value}; no value can be over ${most} bytes`,
  field_twice: ({ name }: Name) => `"${name}" is declared already`,
  field_undeclared: ({ name, near }: Name & Near) => `"${name}" is not a declared field${meant(near)}`,

  // Groups and steps.
  field_named_twice: ({ name, key }: Name & { key: 'groups' | 'steps' }) =>
    `"${name}" is in ${key === 'steps' ? 'a step' : 'a group'} already`,
  field_in_no_step: ({ name }: Name) =>
    `no step has the field "${name}"; every field that visitors see is in one`,
  field_out_of_order: ({ name, before }: Name & { before: string }) =>
    `"${name}" does not follow "${before}" in fields; groups and steps have the order of fields`,
  group_across_steps: ({ name }: Name) =>
    `"${name}" is in another step than the field before it in this group`,

  // Conditions.
  condition_without_one_test: 'expected exactly one of is, is_not and filled beside field',
  condition_circular: 'this condition depends on itself; a cycle decides nothing',
  condition_chain_too_long: ({ most }: { most: number }) =>
    `this condition depends on more than ${most} others`,
  condition_never_holds: ({
    found,
    field,
    near,
    possible,
  }: Found & Near & { field: string; possible: readonly string[] }) =>
    `found ${shown(found)}; "${field}" never has this value${meant(near) || `; expected ${oneOf(possible)}`}`,

  // Languages and what is said in them.
  not_a_language: ({ found, near }: Found & Near) =>
    `found ${shown(found)}; expected the tag of a language, such as de or pt-BR${meant(near)}`,
  language_without_texts: ({ tag, known, near }: Near & { tag: string; known: readonly string[] }) =>
    `the relay does not speak "${tag}"${meant(near) || `; it speaks ${known.join(', ')}`}; language_files brings others`,
  language_not_among: ({ languages }: { languages: readonly string[] }) =>
    `this is none of the languages beside it, which are ${languages.join(', ')}`,
  language_not_of_form: ({ languages, near }: Near & { languages: readonly string[] }) =>
    `this is none of the form's languages${meant(near) || `, which are ${languages.join(', ')}`}`,
  texts_without_languages: ({ languages }: { languages: readonly string[] }) =>
    `found texts by language, and the form names none; write languages: [${languages.join(', ')}]`,
  language_unused: ({ tag }: { tag: string }) => `no form here speaks "${tag}"`,
  language_file_unreadable: ({ path, reason }: { path: string; reason: string }) => `${path}: ${reason}`,
  language_incomplete: ({ tag, missing }: { tag: string; missing: readonly string[] }) =>
    `"${tag}" lacks ${missing.length} texts, which are said in English: ${firstOf(missing)}`,
  translation_missing: ({ missing, instead }: { missing: readonly string[]; instead: string }) =>
    `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing; visitors read the words of ${instead}`,
  lang_is_a_field:
    'a field has the name that chooses the language in addresses: only browsers choose, and pages may change theirs',
  not_a_message: found('expected text, or a map of plural forms, such as one and other'),
  message_unknown: ({ near }: Near) =>
    `the relay says nothing by this name${meant(near) || '; relay form messages prints all names'}`,
  message_parameter_unknown: ({ name, known, near }: Name & Partial<Near> & { known: readonly string[] }) =>
    `there is no {${name}} in this message${meant(near) || (known.length > 0 ? `; it has ${known.map((one) => `{${one}}`).join(', ')}` : '; it has none')}`,
  message_parameter_missing: ({ name }: Name) =>
    `this message is of no use without {${name}}; write {${name}} where it is to stand`,
  message_without_count: ({ known }: { known: readonly string[] }) =>
    known.length === 0
      ? 'there is no number in this message, so it has no plural forms; write one text'
      : `count must name the number that decides the form: ${oneOf(known)}`,

  // Names that checks use, and their limits.
  check_named_as_field: ({ name, check }: Name & { check: NamedCheck }) =>
    `"${name}" is a declared field; ${namedChecks[check]} needs a name of its own`,
  field_named_as_page: ({ name }: Name) =>
    `page: true sends the page as "${name}"; give this field another name`,
  field_named_as_check: ({ name, check }: Name & { check: NamedCheck }) =>
    `"${name}" is ${namedChecks[check]}; give this field another name`,
  check_named_as_other: ({ name, check }: Name & { check: NamedCheck }) =>
    `"${name}" is the name of ${namedChecks[check]} too`,
  check_named_as_flag: ({ found, isOn, check }: Found & { isOn: boolean; check: keyof typeof usualNames }) =>
    isOn
      ? `${namedChecks[check]} gets the name ${shown(found)}; write the name that its field is to have, such as ${usualNames[check]}`
      : `${namedChecks[check]} gets the name ${shown(found)}; leave this key out to go without`,
  form_ttl_too_short: ({ ttlMs, minFillSeconds }: { ttlMs: number; minFillSeconds: number }) =>
    `form_ttl is ${ttlMs / 1000}s and min_fill_seconds ${minFillSeconds}: a form would expire before it may be sent`,
  too_fast_dropped: ({ seconds }: { seconds: number }) =>
    `a message sent within ${seconds} s is dropped and its sender thanked, even if a browser filled in the form for a person; write too_fast: doubt, with doubt: tag, to get it with a mark, or too_fast: drop if that is what you want`,
  too_fast_without_min_fill: 'this has no effect: without min_fill_seconds, no submission is too fast',
  too_fast_without_tag:
    'submissions sent too fast get the mark of tag, which doubt here does not have; write doubt: tag, or add tag to doubt, such as {tag: 5, challenge: 8}',
  too_fast_drops: ({ points, drop }: { points: number; drop: number }) =>
    `a submission sent too fast gets the ${points} points of tag, and drop holds from ${drop}: all of them would be dropped; write a larger number for drop`,
  captcha_field_fixed: ({ field }: { field: string }) =>
    `the widget that site_key renders submits "${field}", and cannot use another name`,
  challenge_without_captcha: ({ lacks }: { lacks: 'captcha' | 'only_in_doubt' | 'site_key' }) =>
    ({
      captcha: 'the form has no captcha to ask for; give it one with only_in_doubt: true',
      only_in_doubt:
        'everybody is asked for the captcha already; write only_in_doubt: true beside its provider',
      site_key: 'whoever is asked for the captcha must see it; write its site_key',
    })[lacks],
  challenge_of_nobody: ({ key }: { key: string }) =>
    `nothing here asks for a proof, so ${key} says nothing; write proof_of_work: true, or doubt: challenge`,
  captcha_of_nobody: ({ asks }: { asks: 'nobody' | 'proof_of_work' }) =>
    asks === 'nobody'
      ? 'nobody is ever asked for the captcha: with only_in_doubt it waits for doubt: challenge, or origins_unknown: challenge'
      : 'nobody is ever asked for the captcha: challenge: proof_of_work asks for a puzzle in its place',
  proof_of_nobody:
    'whoever sends no solution passes, and so do bots: the puzzle keeps nobody out; write without_script: challenge',
  captcha_secret_empty: 'the secret is empty: every submission will be refused',

  // Outputs.
  output_type_unknown: ({ type, near, when }: Near & { type: string; when: string | undefined }) =>
    `"${type}" is not an output type: every submission ${when === undefined ? '' : `in which ${when} `}will be answered 500${meant(near)}`,
  output_sends_files_alone:
    'this output sends files and no field; add a mapping, such as mapping: "*", or static values',
  output_sends_nothing: 'this output sends nothing; add a mapping, such as mapping: "*", or static values',
  mapping_of_template: ({ name, near }: Name & Near) =>
    `"${name}" is not a declared field: mapping takes a field's name, and templates belong under static${meant(near)}`,
  visitor_mail_to_no_email: ({ name, near }: Name & Near) =>
    `"${name}" is no field of type email, which alone takes nothing but an address${meant(near)}`,
  visitor_mail_to_template: ({ near }: Near) =>
    `expected the name of a field, without a template${meant(near)}`,
  visitor_mail_free_text: ({ name }: Name) =>
    `anybody can write into "${name}", and so could send their words to any address in your name; what visitors are sent may hold fields that offer a choice (select, radios, checkboxes, checkbox), and no others`,
  visitor_mail_page: ({ path }: { path: string }) =>
    `anybody can put what they like into ${path}, and so could send their words to any address in your name; leave it out`,
  visitor_mail_reply_submitted: 'a visitor must not choose where answers go; write an address of yours',
  visitor_mail_uncarried:
    'no output sends mails, so none can carry this one; add `through: {type: smtp, host: …}` or `through: {type: email}`',
  visitor_mail_through_none: ({
    index,
    isThere,
    places,
  }: {
    index: number;
    isThere: boolean;
    places: readonly number[];
  }) =>
    `${isThere ? `outputs[${index}] sends no mails` : `there is no outputs[${index}], as they are counted from 0`}; ${places.length > 0 ? `expected ${oneOf(places.map(String))}` : 'expected a server, as in {type: smtp, host: …}'}`,
  not_a_carrier: found(
    'expected the place of an output, from 0, or a map such as {type: smtp, host: mail.example.com}',
  ),
  visitor_mail_unguarded:
    'nothing here costs a bot anything: one could have the relay write to strangers in your name, until mail servers refuse what you send; add captcha, or spam: {min_fill_seconds: 3, too_fast: doubt, doubt: tag}; a honeypot alone stops no bot that aims at this form',
  opt_in_address_optional: ({ name }: Name) =>
    `with double_opt_in, "${name}" needs \`required: true\` and no visible_when: without an address, nobody could confirm anything`,
  link_field_unbounded: ({ name, room }: Name & { room: number }) =>
    `double_opt_in keeps all that is filled in inside a link, which has room for ${room} bytes; add max_length to "${name}", such as 100`,
  link_field_undeclared: ({ name }: Name) =>
    `double_opt_in keeps all that is filled in inside a link, and "${name}" is not among fields, so that it could be of any length; declare it with a max_length`,
  link_too_long: ({ needed, room }: { needed: number; room: number }) =>
    `double_opt_in keeps all that is filled in inside a link, which has room for ${room} bytes; the fields together may take ${needed}, at 3 bytes a character; lower a max_length, or leave out a field`,
  link_decides: ({ name }: Name) =>
    `any link can fill the hidden field "${name}", which decides this; from_query: false on the field keeps links out`,
  page_unread:
    'no output reads the page; write {{ .page.url }} into one, or leave this out, so that nothing of it is sent',
  page_decides: ({ path }: { path: string }) =>
    `whoever sends the form, or made the link to its page, can put anything into ${path}, which decides this; keep .page out of to, reply_to and headers`,
  submission_without_output: ({ example }: { example: readonly Held[] }) =>
    `a submission with ${example.map(heldInWords).join(' and ')} reaches no output, and is answered 500; leave out one when, or add an output for the rest`,
  submission_only_continued: ({ example }: { example: readonly Held[] }) =>
    `a submission with ${example.map(heldInWords).join(' and ')} reaches only outputs with on_error: continue; where they fail, the visitor reads that it was sent, and nobody has it`,
  receipt_behind_redirect: 'visitors are led to `redirect`, which shows no receipt; leave one of the two out',
  aside_without_output: ({ example }: { example: readonly Held[] }) =>
    `what is set aside with ${example.map(heldInWords).join(' and ')} reaches no output, and is answered 500; leave out one when, or add an output for the rest`,
  aside_nowhere: ({ form }: { form: string }) =>
    `no output of ${form} takes what is set aside; write \`aside: only\`, or \`aside: also\`, into one`,
  outputs_only_aside:
    'all of them take only what is set aside, so that everything else reaches nobody; write `aside: also` into one, or leave it out',
  aside_unused: ({ isOnly }: { isOnly: boolean }) =>
    `nothing is set aside in this form${isOnly ? ', so this output never gets anything' : ''}; write \`doubt: {aside: 8}\` into its \`spam\`, or leave this out`,
  header_without_effect: ({ always }: { always: string }) =>
    `this header has no effect: it is always ${always}`,
  header_of_signature: ({ name }: Name) => `sign sends ${name} itself; it cannot be configured`,
  ses_configuration_set_malformed: found(
    'expected the name of a configuration set of SES: up to 64 of a to z, A to Z, 0 to 9, _ and -',
  ),
  ses_tag_malformed: found(
    'expected up to 256 of a to z, A to Z, 0 to 9, _ and -: SES takes no other letters',
  ),
  ses_tag_name_malformed: 'SES takes names of tags of up to 256 of a to z, A to Z, 0 to 9, _ and -',
  ses_too_many_tags: ({ most }: { most: number }) => `SES takes at most ${most} tags`,
  seal_key_malformed: ({ problem }: { problem: RecipientProblem }) => sealKeyProblems[problem],
  seal_twice: 'the keys stand under seal_to, or in a file that seal_to_file names; leave one of the two out',
  bucket_malformed: ({ found, bucket, prefix }: Found & { bucket?: string; prefix?: string }) =>
    `found ${shown(found)}; expected the bucket's name alone${bucket ? `: bucket: ${bucket}` : ''}${bucket && prefix ? `, and prefix: ${prefix}` : ''}`,
  bucket_unused: (unused: UnusedBucket) => sayFailure('s3_bucket_unused', unused),
  prefix_malformed: found(
    'expected what the keys begin with, such as forms or forms/eu: a URL cannot hold ".", ".." or nothing between slashes',
  ),
  keep_place_unknown: found(
    'expected a folder such as /var/lib/form-relay, or a queue such as sqs://… or nats://…',
  ),
  keep_not_a_queue: found(
    'expected the address of a standard queue of Amazon SQS, not a FIFO one, with sqs instead of https: sqs://sqs.eu-central-1.amazonaws.com/123456789012/form-relay',
  ),
  keep_not_a_stream: found(
    'expected nats://host:4222/stream, with the name of a JetStream stream at its end, such as nats://nats:4222/form-relay; several hosts stand with commas between them',
  ),
  keep_place_with_credentials:
    'credentials stand in the environment alone (docs/keep.md); leave them out here',
  not_a_bucket_url: found('expected a bucket as s3://bucket or s3://bucket/prefix'),
  keep_nowhere:
    'nothing says where; add keep: {in: /var/lib/form-relay} at the top of the file, beside forms',
  keep_unused: 'no form keeps anything; write keep: failed, or keep: always, into one',
  kept_message_unused: 'nobody reads it: the form has no `keep`',
  keep_folder_relative:
    'which folder this is depends on where the relay is started; write the whole path, such as /var/lib/form-relay',
  keep_sealed:
    'the relay cannot try again by itself what it has sealed: what could not be delivered waits for you, and `relay kept deliver --identity key.txt` delivers it',
  keep_always_sealed: ({ place }: { place: string }) =>
    `nobody could deliver it: the relay seals it before it delivers, and leaves it to ${place}, from which nobody but the owner of the key can take it; write keep: failed, or leave out seal_to`,
  keep_sealed_files:
    'with `seal_to`, what is sent with files is delivered by nobody but you: it is sealed before it is delivered, and files are not held in memory; write keep: failed',
  files_in_unused: 'this has no effect: only `in: sqs://…` leaves anything elsewhere',
  keep_files_nowhere:
    'a message of Amazon SQS has room for 1 MB, which files exceed: what has larger ones cannot be kept; write files_in: s3://bucket beside in',

  // Spam.
  not_a_rate: found('expected how often within which time, such as 5 per 10m; or off'),
  rate_too_high: ({ found, most }: Found & { most: number }) =>
    `found ${shown(found)}; it may be at most ${most}, each of which is remembered`,
  rate_too_long: ({ found }: Found) =>
    `found ${shown(found)}; write at most 1d: what is counted is in memory, and forgotten when the relay stops`,
  not_an_origin: ({ found, near }: Found & { near?: string | undefined }) =>
    near === undefined
      ? `found ${shown(found)}; expected scheme, host and port alone, such as https://example.com, or https://*.example.com for all hosts below it`
      : `found ${shown(found)}; an origin is scheme, host and port alone: write ${near}`,
  origin_of_addresses: found('no host is below an address; write the address alone, or a name'),
  origin_of_all: found('in a list it would make the others useless; for any page, write origins: "*"'),
  origin_unknown_listed: found(
    'this is what browsers send for pages that they hide; origins_unknown says what becomes of those',
  ),
  origins_unknown_unused: 'this has no effect: without `origins`, a form may be sent from anywhere',

  doubt_out_of_reach: ({ action, from, most }: { action: string; from: number; most: number }) =>
    most === 0
      ? 'nothing speaks against a submission: all signals are switched off'
      : `${action} holds from ${from} points, and all signals together have ${most}`,
  behaviour_without_doubt:
    'how visitors fill in the form is counted and sent, and nobody looks at it: no doubt says what becomes of the points; add doubt: observe, or leave this out',
  doubt_after_drop: ({ action, from, dropped }: { action: string; from: number; dropped: number }) =>
    `${action} holds from ${from} points, and drop from ${dropped} already; write the larger number for drop`,
  signals_without_doubt:
    'nobody counts these: no doubt says what becomes of the points; doubt: observe writes them to the log',
  signal_without_weight: 'with a weight of 0 it is never looked at',
  signal_without_behaviour:
    'nothing is counted while the form is filled in; write behaviour: true beside signals',
  blocklist_without_lists:
    'this names no list; expected words, addresses, domains or networks with the path of one',

  // Lists.
  list_unreadable: ({ path, reason }: { path: string; reason: string }) => `${path}: ${reason}`,
  list_empty: ({ path }: { path: string }) => `${path} has no entry, so it finds nothing`,
  list_not_text: 'this is no text in UTF-8; a list is one entry a line',
  list_entry_too_long: ({ most }: { most: number }) =>
    `no entry is over ${most} characters; a list is one entry a line`,
  list_entry_without_words: 'expected a word or a phrase, of letters or digits',
  list_phrase_too_long: ({ words, most }: { words: number; most: number }) =>
    `found ${words} words; a phrase may have ${most}: write those that tell it from others`,
  list_entry_no_address:
    'expected a mail address, such as ada@example.com; whole domains stand in a list of domains',
  list_entry_no_domain:
    'expected a domain alone, such as example.com: no address, no path, no port; what is below it belongs to it',
  list_domain_too_wide: 'this is a top-level domain; to list all that is below it, write *. before it',
  list_entry_no_network: 'expected an IP address, or a network such as 192.0.2.0/24 or 2001:db8::/32',
  list_network_not_whole: ({ meant }: { meant: string }) =>
    `this is an address within a network, and not the network; write ${meant}, or the address without /`,

  // Alerts.
  alerts_of_nothing:
    'nobody is told anything: no form keeps anything; write keep: failed, or keep: always, into one',
  alert_same_host: ({ host, form }: { host: string; form: string }) =>
    `"${form}" delivers through ${host}, too: where that fails, nobody can be told; add an output that goes through another`,
  alert_type_unknown: ({ type, near }: Near & { type: string }) =>
    `"${type}" is not an output type, so it tells nobody${meant(near)}`,
  secret_literal: ({ variable }: { variable: string }) =>
    `a secret stands in the environment alone; write '{{ env "${variable}" }}' here`,
  secret_submitted: 'nothing that visitors write may stand in a secret; use {{ env "NAME" }}',
  dkim_domain_malformed: found('expected the domain that signs, such as example.com'),
  dkim_selector_malformed: found(
    'expected the selector alone: s1, where the public key stands at s1._domainkey.example.com',
  ),
  dkim_not_aligned: ({ domain, from }: { domain: string; from: string }) =>
    `mails from ${from} are signed for ${domain}, which DMARC does not count: both must be of one domain`,
  oauth2_submitted: 'nothing that visitors write may stand here; use {{ env "NAME" }}',
  oauth2_url_in_the_clear: 'secrets would travel in the clear; start it with https://',
  oauth2_param_reserved: ({ name, key }: Name & { key: string }) => `${name} has a key of its own: ${key}`,
  oauth2_key_elsewhere: ({ key, homes }: { key: string; homes: readonly string[] }) =>
    `${key} belongs to grant: ${oneOf(homes)}`,
  oauth2_with_authorization: 'oauth2 sends this header; keep one of the two',
  oauth2_without_auth: 'this has no effect without auth: oauth2',
  oauth2_with_password: 'auth: oauth2 signs in with a token; leave the password out',
  auth_without_oauth2: 'an oauth2 block is missing, which says how to get the token',
  auth_without_username: ({ auth }: { auth: string }) =>
    `${auth} needs a username: ${auth === 'oauth2' ? 'the mailbox that the token is for' : 'the one that the relay signs in as'}`,
  recipients_in_list: ({ joined }: { joined: string | undefined }) =>
    `found a list; write one text, with commas between the addresses: ${joined ?? 'a@example.com, b@example.com'}`,
  recipients_missing: 'found nothing; expected at least one address',
  recipient_malformed: ({ source, isFirstOfName }: { source: string; isFirstOfName: boolean }) =>
    `"${source.replaceAll(/\s+/g, ' ')}" is not an address like name@example.com, alone or as Name <name@example.com>${
      isFirstOfName
        ? nameWithComma
        : /[;\n]/.test(source)
          ? '; write commas between several'
          : hintOfMailbox(source)
    }`,
  recipient_never_address: ({ source }: { source: string }) =>
    `"${source}" never is an address, whatever visitors write; what they write stands for one address alone, or in Name <…> with a name of yours`,
  reply_to_never_address:
    'this never is an address, whatever visitors write; write the address alone, and a name that they wrote under `reply_to_name`',
  reply_to_name_alone: 'this has no effect without `reply_to`',
  mail_text_instead: ({ key }: { key: string }) =>
    `this has no effect beside \`text\`, which is all that the mail says; write what you want of ${key} into it`,
  mail_header_twice: ({ first }: { first: string }) =>
    `this header stands here twice, also as ${first}; keep one`,
  recipient_submitted:
    'a visitor would choose who gets this copy; only `to` may hold submitted values. What visitors get themselves is a `confirmation_mail` of the form',
  recipient_default_with_comma:
    'a part that holds a submitted value is one address; its default holds a comma',
  username_without_password: 'the relay logs in with an empty password, since there is none here',
  password_without_username: 'this has no effect without a username',
  confirmation_empty: 'visitors read nothing after they have sent the form',

  markup_not_read:
    'visitors read these tags as they are; a link is written [words](https://…), and there is no other markup',
  link_not_read:
    'visitors read this as it is: a link leads to https://, http://, mailto:, tel: or a path that starts with /',

  // Templates.
  template_not_read: 'visitors read these braces as they are: only outputs have templates',
  template_field_undeclared: ({ name, near }: Name & Near) =>
    `this template reads "${name}", which is not a declared field${meant(near)}`,
  template_always_empty: ({ path, near }: Near & { path: string }) => `${path} is always empty${meant(near)}`,
  template_page_not_asked: ({ path }: { path: string }) =>
    `${path} is empty, since the form does not ask for its page; write page: true beside fields`,
  template_never_closed: '"{{" is never closed',
  template_trim_without_space_after: '"{{-" needs a space after it',
  template_trim_without_space_before: '"-}}" needs a space before it',
  template_comment_never_closed: 'this comment is never closed',
  template_comment_apart: 'a comment touches its braces: {{/* like this */}} or {{- /* this */ -}}',
  template_parenthesis_never_opened: '")" has no "(" before it',
  template_parenthesis_never_closed: '"(" is never closed',
  template_quote_never_closed: 'this quote is never closed; text in double quotes stays on one line',
  template_backquote_never_closed: 'this quote is never closed',
  template_quote_not_straight: `text needs straight double quotes, ${templateInYaml}`,
  template_escape_unknown: 'in double quotes, "\\" only starts \\n \\t \\" \\\\ \\xHH \\uHHHH and the like',
  template_number_malformed: 'this is not a plain number; put it in double quotes',
  template_text_without_quotes: `text needs double quotes, ${templateInYaml}; a field's value is .fields.name`,
  template_value_missing: 'missing value',
  template_value_after_value: 'only a function can have values after it',
  template_space_missing: 'expected a space, "|" or "}}"',
  template_character_unexpected: 'unexpected character',
  template_path_malformed:
    'after "." comes a name that starts with a letter; another field name needs (join "," (values "name"))',
  template_with_variable: 'variables are not available: templates only insert values',
  template_with_block: 'blocks are not available: templates only insert values',
  template_third_brace: 'two braces are enough, at the beginning and at the end',
  template_with_control: ({ word }: { word: string }) =>
    `\`${word}\` is not available: templates only insert values`,
  template_function_missing: 'a function must follow "|"',
  template_function_unknown: ({ found, near, known }: Found & Near & { known: readonly string[] }) =>
    found === secret || near === undefined
      ? `unknown function${found === secret ? '' : ` ${shown(found)}`}; the functions are ${known.join(', ')}`
      : `unknown function ${shown(found)}${meant(near)}`,
  template_function_without_parentheses: ({ name }: Name) =>
    `${name} and its values need parentheses here: (${name} ...)`,
  template_parenthesis_after_function: ({ name }: Name) =>
    `${name} takes its values after a space, without parentheses around them, as in {{ upper .fields.name }}`,
  template_dot_after_function: ({ name, near }: Name & Near) =>
    `${name} takes its values after a space, without a dot${meant(near)}`,
  template_colon_after_function: ({ name }: Name) =>
    `${name} takes its values after a space, without a colon, as in {{ default "nobody" .fields.name }}`,
  template_with_method:
    'values have no methods: a function stands before its value, as in {{ lower .fields.name }}',
  template_with_or:
    'what stands in for an empty value is written with default, as in {{ default "nobody" .fields.name }}',
  template_values_miscounted: ({ name, takes, given }: Name & { takes: number; given: number }) =>
    `${name} takes ${takes} value${takes === 1 ? '' : 's'}, found ${given}`,
  template_literal_missing: ({ name, expected }: Name & { expected: string }) => `${name} needs ${expected}`,
  template_list_missing: ({ name, place }: Parameter) =>
    `${name} needs a list${ordinal(place)}, found text; write (values "name")`,
  template_text_missing: ({ name, place }: Parameter) =>
    `${name} needs text${ordinal(place)}, found a list; write (join "," (values "name"))`,
  template_too_long: ({ most }: { most: number }) =>
    `one action can have at most ${most} functions and parentheses`,

  template_of_shells: `this is taken as it stands; a variable of the environment is written '{{ env "NAME" }}'`,

  // The file.
  config_unreadable: ({ reason }: { reason: string }) => reason,
  config_too_large: 'the config is over 16 MB',
  config_empty: 'the config is empty; it needs at least `forms:`',
  more_problems: ({ count }: { count: number }) => `${count} more problems from here on`,

  // YAML.
  yaml_unreadable: 'this is not YAML that can be read',
  /** The parser's own words, without what they quote. */
  yaml_refused: ({ complaint }: { complaint: string }) => complaint,
  yaml_second_document: 'found a second YAML document; keep one',
  yaml_alias_endless: 'this alias stands inside its own anchor, which would never end',
  yaml_aliases_too_large: ({ nodes }: { nodes: number }) =>
    `the aliases unfold to ${nodes} nodes; write the shared part out, or use fewer`,
  yaml_alias_without_anchor: 'this alias has no anchor: nothing above is marked with & and this name',
  yaml_key_twice: 'this key stands here twice; keep one',
  yaml_key_not_text: 'a key must be plain text, not a list or a map',
  yaml_template_unquoted: "a template must stand in quotes: '{{ … }}'",
  yaml_text_with_template_unquoted:
    'text with a template in it must stand in quotes, all of it: \'Bearer {{ env "NAME" }}\'',
  yaml_template_in_double_quotes:
    'a template with double quotes inside needs single quotes around it: \'{{ env "NAME" }}\'',
  yaml_tab: 'a tab cannot indent YAML; use spaces',
  yaml_tag: 'tags (!…) are not available; text that starts with ! must stand in quotes',
  yaml_star_unquoted: 'text that starts with * must stand in quotes: "*"',
  yaml_start_unquoted: ({ character }: { character: string }) =>
    `text that starts with ${character} must stand in quotes`,
  yaml_colon_unquoted: 'text that holds a colon and a space must stand in quotes',
  yaml_apostrophe:
    "to YAML, the text ends at this apostrophe; write it twice: 'We''re glad', or double quotes around it all: \"We're glad\"",
  yaml_quote_inside:
    'to YAML, the text ends at the quote before this; inside double quotes, write \\" for a quote',
  yaml_colon_missing: 'a colon is missing, here or on the line above',
  yaml_colon_missing_above: 'the line above lacks its colon, or this one is indented too far',
  yaml_comma_missing: 'expected a comma, or the end of this { or [',
  yaml_comma_or_quotes_missing:
    'a comma is missing before this key, or text that holds a colon and a space must stand in quotes',
  yaml_quote_never_closed: 'the text ends inside quotes: one above is never closed',
  yaml_bracket_never_closed: 'the text ends inside { or [: one above is never closed',
  yaml_indented_too_little: 'this line is indented too little, or a quote or bracket above is never closed',
  yaml_indented_differently: 'this line does not line up with those above it',
  yaml_text_after_value:
    'the value ends before this; put quotes around all of the text, or delete what is too much',
  yaml_line_below_a_value: ({ name, line, column }: Neighbour) =>
    name === undefined
      ? `the item in line ${line} is complete, so nothing can stand below it; add this inside it, or start a new item with a dash in column ${column}`
      : `this line is indented further than ${shown(name)} in line ${line}, which already has a value; line the two up`,
  yaml_list_below_a_value: ({ name, line }: Neighbour) =>
    `${shown(name)} in line ${line} already has a value, so it cannot have this list as well; remove one of the two`,
  yaml_line_out_of_line: ({ column, near, waiting }: Column & Nearby & { waiting: Neighbour | undefined }) =>
    `this line starts in column ${column}, which matches nothing above it; line it up with ${neighbours(near)}${waiting ? `, or indent it further to put it below ${shown(waiting.name)}` : ''}`,
  yaml_dash_missing: ({ near }: Nearby) =>
    `this line stands where its list has dashes; start it with "- "${near.length > 0 ? `, or line it up with ${neighbours(near)}` : ''}`,
  yaml_dash_out_of_line: ({ column, near }: Column & Nearby) =>
    `this dash in column ${column} matches no list above it; line it up with ${neighbours(near)}`,
  yaml_dash_left_of_its_key: ({ name, line, column }: Neighbour) =>
    `this dash is too far left to belong to ${shown(name)} in line ${line}; move it to column ${column + 2}`,
  yaml_belongs_nowhere:
    'this belongs to nothing above it; look for a missing dash, a wrong indentation, or a quote or bracket too many',
  yaml_escape_unknown: 'in double quotes a backslash starts an escape; write \\\\ for a backslash',
  yaml_control_character: 'this control character cannot stand in YAML',
  yaml_too_deep: 'this is nested too deeply',
};

interface Found {
  readonly found: unknown;
}

interface Name {
  readonly name: string;
}

/** A line above that another one can line up with. */
export interface Neighbour {
  /** Its key; `undefined` for the dash of a list. */
  readonly name: string | undefined;
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

const neighbours = (all: readonly Neighbour[]) =>
  all
    .map(
      ({ name, line, column }) =>
        `${name === undefined ? 'the dash' : shown(name)} in line ${line} (column ${column})`,
    )
    .join(' or ');

interface Column {
  readonly column: number;
}

interface Nearby {
  readonly near: readonly Neighbour[];
}

interface Parameter extends Name {
  /** From 0; `undefined` where the function has no other. */
  readonly place: number | undefined;
}

const ordinal = (place: number | undefined) =>
  place === undefined ? '' : ` as its ${['first', 'second'][place]} value`;

/** The one place where a key can stand. */
export type KeyHome =
  | { readonly in: 'file' | 'spam' | 'captcha' | 'form' }
  /** The form of this name, where it is clear which one. */
  | { readonly in: 'forms'; readonly form: string | undefined }
  /** Those of these types; none stands for every type. */
  | { readonly in: 'fields' | 'outputs'; readonly types: readonly string[] }
  /** Another type of the same thing. */
  | { readonly in: 'field' | 'output' | 'captcha_of'; readonly types: readonly string[] };

function belongs(key: string, home: KeyHome): string {
  switch (home.in) {
    case 'file':
      return 'at the top of the file, beside forms';
    case 'forms':
      return home.form === undefined
        ? `to a form, as in forms: {contact: {${key}: …}}`
        : `to a form: indent it, so that it stands below ${home.form}`;
    case 'form':
      return `to the form itself; indent it as ${key === 'fields' ? 'outputs' : 'fields'}`;
    case 'spam':
    case 'captcha':
      return `below the form's ${home.in}, as in ${home.in}: {${key}: …}`;
    case 'fields':
      return `to a field${ofType(home.types)}, as in fields: [{name: …, ${key}: …}]`;
    case 'outputs':
      return `to an output${ofType(home.types)}, as in outputs: [{type: ${home.types[0] ?? '…'}, ${key}: …}]`;
    case 'captcha_of':
      return `to a captcha whose provider is ${oneOf(home.types)}`;
    default:
      return `to ${home.in === 'field' ? 'a field' : 'an output'}${ofType(home.types)}`;
  }
}

const ofType = (types: readonly string[]) => {
  if (types.length === 0) return '';
  return ` of type ${oneOf(types.length > 4 ? [...types.slice(0, 3), 'others'] : types)}`;
};

/** What a field of an example holds. */
type Held = readonly [name: string, values: readonly string[]];

const heldInWords = ([name, values]: Held) =>
  values.length === 0
    ? `${name} left empty`
    : `${name}: ${values.length === 1 ? values.join() : `[${values.join(', ')}]`}`;

/** The name that was most likely meant. */
interface Near {
  readonly near: string | undefined;
}

interface Limited {
  readonly value: number;
  /** The other key, which sets the limit. */
  readonly key: string;
}

export type NamedCheck = keyof typeof namedChecks;

const namedChecks = {
  honeypot: 'the honeypot',
  min_fill: 'the min-fill token',
  captcha: 'the captcha token',
  page: 'the hidden field for the page',
  proof: 'the solution of the puzzle',
  behaviour: 'the hidden field for how the form was filled in',
  doubt: 'the mark that outputs find on what is doubted',
  token: 'the token that carries the puzzle',
};

const usualNames = { honeypot: 'website', min_fill: '_ts', captcha: 'captcha_token' };

export type FindingCode = keyof typeof words;

/** Codes whose words need nothing more. */
export type PlainCode = {
  [C in FindingCode]: (typeof words)[C] extends string ? C : never;
}[FindingCode];

type Params<C extends FindingCode> = (typeof words)[C] extends (params: infer P) => string
  ? P & object
  : Readonly<Record<never, never>>;

/** A stretch of a value, and the whole value as it reads when it is parsed. */
export interface Within extends Place {
  readonly of: string;
}

/** Something wrong with a config, or worth knowing, before it has a place in the text. */
export interface Finding {
  readonly code: FindingCode;
  readonly params: object;
  readonly path: Path;
  readonly severity?: 'warning';
  /** The problem is the key itself, not its value. */
  readonly aboutKey?: boolean;
  /** Where this key was most likely meant to stand, and under which name: there it is not missing as well. */
  readonly meantAs?: Path;
  /** Where inside the value: the place of a mistake in a template. */
  readonly within?: Within;
}

/** What the words of a code need; nothing where they need nothing. */
export type FindingArgs<C extends FindingCode> =
  Record<never, never> extends Params<C> ? [params?: Params<C>] : [params: Params<C>];

/** A finding in words. A value in the place of a secret is not quoted: `headers: "Authorization: Bearer hunter2"`. */
export function say({ code, params }: Finding, isSecret = false): string {
  const text = words[code] as string | ((params: object) => string);
  if (typeof text === 'string') return text;
  const { found } = params as Partial<Found>;
  return text(isSecret && typeof found === 'string' && found !== '' ? { ...params, found: secret } : params);
}

const sealKeyProblems: Readonly<Record<RecipientProblem, string>> = {
  identity_as_recipient:
    'this is a private key, which opens what is sealed: write its public key, age1…, make a new pair if others have seen this file, and keep the private one away from the relay',
  recipient_of_other_kind:
    'this is a key of another kind; what is sealed here is for keys of age-keygen or `relay key new`: age1…',
  recipient_malformed: 'this is no key: a letter is wrong, too much or missing; copy it again, all of it',
  not_a_recipient: 'expected a public key such as age1…, or a list of them; `relay key new` makes one',
};

const secret = Symbol('secret');

function shown(found: unknown): string {
  if (found === secret) return 'text';
  if (found === null || found === undefined) return 'nothing';
  if (typeof found === 'string')
    return found === '' ? 'empty text' : `"${found.length > 40 ? `${found.slice(0, 40)}…` : found}"`;
  return Array.isArray(found) ? 'a list' : 'a map';
}

const nameWithComma = '; a name that holds a comma needs quotes: "Berg, Anna" <anna@example.com>';

/** What keeps those from being addresses that look like one. */
function hintOfMailbox(found: unknown): string {
  if (typeof found !== 'string') return '';
  if (found.includes('{{')) return '; templates cannot stand here';
  if (/^[^"<@]*,[^"<]*</.test(found)) return nameWithComma;
  return /[^\0-\x7f][^\s<>@]*@/.test(found)
    ? '; before the @ stand letters from a to z, digits and a few signs'
    : '';
}

/** The text as the list that it was meant to be: `a, b` as `[a, b]`. */
function listed(found: unknown): string {
  const isPlain =
    typeof found === 'string' &&
    /^[\w.\u00a1-\uffff-][\w. ,\u00a1-\uffff-]*$/.test(found) &&
    found.length <= 40;
  const items = isPlain ? found.split(',').map((item) => item.trim()) : [];
  return items.length === 0 || items.includes('') ? '' : ` such as [${items.join(', ')}]`;
}

const isText = (found: unknown) => found === secret || typeof found === 'string';

/** As a person would write it: `25s`, `2160h`. */
function inUnits(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  return ms < 3_600_000 ? `${ms / 1_000}s` : `${ms / 3_600_000}h`;
}

const meant = (near: string | undefined) => (near === undefined ? '' : ` (did you mean ${near}?)`);

/** Hundreds would hide what comes after them. */
const firstOf = (names: readonly string[]) =>
  names.length <= 12 ? names.join(', ') : `${names.slice(0, 10).join(', ')} and ${names.length - 10} more`;

const oneOf = (options: readonly string[]) =>
  options.length < 2 ? options.join() : `${options.slice(0, -1).join(', ')} or ${options.at(-1)}`;
