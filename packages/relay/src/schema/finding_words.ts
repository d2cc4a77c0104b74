/**
 * The words of findings, for people alone: code reads a finding's `code` and `params`. `tsdown.config.ts` loads this file when
 * there is something to say.
 */
import type { RecipientProblem, UnusedBucket } from '../base/client_error.ts';
import { say as sayFailure } from '../base/client_error_words.ts';
import { sizeInWords } from '../base/files.ts';
import table from './finding_words.json' with { type: 'json' };
import { sayRemoved } from './settings/removed_variables.ts';

/**
 * Each code's words: what was found, and what to write instead. `plain` words take no parameters, `found` ones only quote the
 * value, and the rest are below. `params.found` is the value in the config; `say` hides it where it may be a secret.
 */
const { plain, found: afterFound } = table;

const composed = {
  // Values of the wrong kind.
  not_a_flag: ({ found, near }: Found & Near) =>
    `found ${shown(found)}; expected true or false${meant(near)}`,
  not_a_number: ({ found, near, expected }: Found & Near & { expected: string }) =>
    `found ${shown(found)}; expected a ${expected}${meant(near)}`,
  not_a_size: ({ found, near }: Found & Near) =>
    `found ${shown(found)}; expected a size such as 500KB or 5MB${meant(near)}`,
  size_too_small: ({ found, leastBytes }: Found & { leastBytes: number }) =>
    `found ${shown(found)}; it must be at least ${sizeInWords(leastBytes)}`,
  not_a_kind_of_file: ({ found, near, names }: Found & Near & { names: readonly string[] }) =>
    `found ${shown(found)}; expected a kind of file, such as ${names.join(', ')}, docx, image/png or .dwg${meant(near)}`,
  not_a_phone_country: ({ found, near }: Found & Near) =>
    `found ${shown(found)}; expected true, or a country code such as DE${meant(near)}`,
  not_a_country: ({ found, near }: Found & Near) =>
    `found ${shown(found)}; expected a country code of ISO 3166-1, such as DE${meant(near)}`,
  media_type_unknown: ({ found, near }: Found & Near) =>
    `found ${shown(found)}; its first bytes are not known here: write the ending of its names instead, such as .dwg${meant(near)}`,
  media_type_of_many: ({ found, endings }: Found & { endings: readonly string[] }) =>
    `found ${shown(found)}; it says too little of what can do harm: write the endings that you want, such as ${endings.map((ending) => `.${ending}`).join(', ')}`,
  file_over_body: ({ each, all }: { each: number; all: number }) =>
    `each file may have ${sizeInWords(each)}, and the whole form only ${sizeInWords(all)} (\`max_body\`)`,
  key_of_no_file: ({ key }: { key: string }) =>
    `a field of type file has no \`${key}\`: browsers let nobody but the visitor choose a file; leave it out`,
  key_of_no_signature: ({ key }: { key: string }) =>
    `a field of type signature has no \`${key}\`: nobody but the visitor signs; leave it out`,
  field_named_as_drawing: ({ of }: { of: string }) =>
    `the drawing of "${of}" is sent under this name; choose another one`,
  not_a_list: ({ found }: Found) =>
    `found ${shown(found)}; expected a list${isText(found) ? listed(found) : ', in which every item starts with a dash and a space'}`,
  not_a_map: ({ found, example }: Found & { example: string | undefined }) =>
    `found ${shown(found)}; expected a map${example === undefined ? '' : ` such as ${example}`}${Array.isArray(found) ? ', without dashes' : ''}`,
  not_a_mailbox: ({ found }: Found) =>
    `found ${shown(found)}; expected one address like forms@example.com, or one with a name: Example <forms@example.com>${hintOfMailbox(found)}`,
  not_a_choice: ({ found, choices, near }: Found & Near & { choices: readonly string[] }) =>
    near !== undefined && choices.length > 4
      ? `found ${shown(found)}${meant(near)}`
      : `found ${shown(found)}; expected ${oneOf(choices)}${meant(near)}`,
  list_too_short: ({ least }: { least: number }) => `found an empty list; expected at least ${least}`,

  // Durations.
  duration_malformed: ({ found, near }: Found & Near) =>
    `found ${shown(found)}; write a duration such as 30s, 10m or 1h30m${meant(near)}`,
  duration_without_unit: ({ found, number }: Found & { number: string }) =>
    `found ${shown(found)}; the unit is missing; ${number}s means ${number} seconds`,
  duration_unit_unknown: ({ found, unit, near }: Found & Near & { unit: string }) =>
    `found ${shown(found)}; "${unit}" is not a unit; the units are ms, s, m and h${meant(near)}`,
  duration_too_short: ({ found, leastMs }: Found & { leastMs: number }) =>
    `found ${shown(found)}; the least is ${inUnits(leastMs)}`,
  duration_too_long: ({ found, mostMs }: Found & { mostMs: number }) =>
    `found ${shown(found)}; the most is ${inUnits(mostMs)}`,

  // URLs.

  // Bodies and expected answers of webhooks.
  body_word_unknown: ({ word, near }: Near & { word: string }) =>
    `"${word}" is none of $fields and $submission${meant(near)}; a field's own value is {$field: its_name}`,
  body_word_as_key: ({ word }: { word: string }) =>
    `${word} stands where a value stands, as in "answers: ${word}"`,
  key_without_effect_beside_body: ({ key }: { key: string }) =>
    `body says all that is sent, so ${key} has no effect; put it into body`,
  expect_of_redirect: ({ status }: { status: number }) =>
    `${status} is followed to where it leads, so no answer has it`,
  expect_contradictory: ({ at }: { at: string }) =>
    `another condition says otherwise of ${at}, so both can never hold`,

  // Keys.
  key_missing: ({ key }: { key: string }) => `${key} is missing`,
  key_unknown: ({ known, near }: Near & { known: readonly string[] }) =>
    `unknown key${meant(near) || `; expected ${oneOf(known)}`}`,
  key_removed: sayRemoved,
  key_elsewhere: ({ key, near, home }: Near & { key: string; home: KeyHome }) =>
    `unknown key${meant(near) || ' here'}; ${near ?? key} belongs ${belongs(near ?? key, home)}`,
  form_outside_forms: ({ hasForms }: { hasForms: boolean }) =>
    `unknown key here; this looks like a form: ${hasForms ? 'indent it, so that it stands below forms' : 'write `forms:` on a line above it, and indent it'}`,
  form_without_name: ({ key }: { key: string }) =>
    `the form has no name: write one, such as \`contact:\`, on a line above ${key}, and indent what belongs to it`,
  key_of_environment: ({ variable }: { variable: string }) =>
    `this is no key of the config but a variable of the environment: ${variable}`,
  mail_header_reserved: ({ name }: Name) =>
    `${name} is written by the relay or by mail servers, and cannot be configured`,
  mail_words_without_html: ({ key }: { key: string }) =>
    `\`${key}\` is a part of HTML mails; add \`html: true\`, or write it into \`text\``,
  mail_link_without_site: ({ href }: { href: string }) =>
    `a mail stands on no site: write the whole address, such as https://example.com${href}`,
  header_reserved: ({ name }: Name) => `${name} is set by HTTP itself and cannot be configured`,

  // Fields.
  value_below: ({ value, key, least }: Limited & { least: number }) =>
    `found ${value}; expected at least ${key}, which is ${least}`,
  value_above: ({ value, key, most }: Limited & { most: number }) =>
    `found ${value}; expected at most ${key === 'options' ? 'the number of options' : `\`${key}\``}, which is ${most}`,
  day_too_early: ({ value, key, earliest }: { value: string; key: string; earliest: string }) =>
    `found ${value}; expected ${key}, which is ${earliest}, or later`,
  max_past_midnight: ({ min, max }: { min: string; max: string }) =>
    `found ${max}; expected min, which is ${min}, or later; past midnight, write hours: [${min}-24:00, 00:00-${max}]`,
  not_a_closed_day: ({ found, near }: Found & Near) =>
    `found ${shown(found)}; expected a weekday such as sunday, weekdays such as monday-friday, a day such as 2030-12-31, or days such as 2030-12-24 to 2030-12-26${meant(near)}`,
  not_weekdays: ({ found, near }: Found & Near) =>
    `found ${shown(found)}; expected a weekday such as sunday, or weekdays such as monday-friday${meant(near)}`,
  weekday_twice: ({ found }: Found) =>
    `${shown(found)} has a weekday that has hours already; write its hours as one list, such as [09:00-12:00, 13:00-17:00]`,
  not_a_time_zone: ({ found, near }: Found & Near) =>
    `found ${shown(found)}; expected an IANA time zone, such as Europe/Berlin or UTC${meant(near)}`,
  moment_skipped: ({ found, zone }: Found & { zone: string }) =>
    `found ${shown(found)}, which does not exist in ${zone}: clocks go forward past it`,
  closes_before_opens: ({ found, opens }: Found & { opens: string }) =>
    `found ${shown(found)}; expected a time after the form opens: ${opens}`,
  closes_passed: ({ told }: { told: string }) =>
    `the form has been closed since ${told}; visitors cannot send it`,
  keys_too_many: ({ most }: { most: number }) => `a form takes at most ${most} keys`,
  counted_in_unknown: ({ found }: Found) =>
    `found ${shown(found)}; expected a folder such as /var/lib/form-relay, nats://host:4222/stream, dynamodb:// and the name of a table, such as dynamodb://places, or durable-object:// and a binding of Cloudflare`,
  option_places_of_no_choice: ({ name }: Name) =>
    `"${name}" takes no places; places of options are for fields of type select, radios and checkboxes`,
  once_by_optional: ({ name }: Name) =>
    `with once, visitors could leave "${name}" empty and register as often as they like; add required: true`,
  once_by_conditional: ({ name }: Name) =>
    `with once, visitors who do not see "${name}" could register as often as they like; remove visible_when`,
  once_by_no_email: ({ name }: Name) =>
    `"${name}" holds no mail address, so that nobody could be told; name an email field, or add reveal: true`,
  once_mails_another: ({ name }: Name) =>
    `this mail tells its reader whether the address in "${name}" was new; write to: ${name}, or add reveal: true to once`,
  resume_to_whom: ({ emails }: { emails: readonly string[] }) =>
    emails.length === 0
      ? 'nobody knows where to mail the link; give the form a field of type email'
      : `the form has several fields of type email; say which one gets the link, such as resume: {to: ${emails[0]}}`,
  field_named_as_part: ({ name, of }: Name & { of: string }) =>
    `"${name}" may be the name of a part of the field "${of}", which begins with "${of}."; choose another name`,
  condition_on_parts: ({ field }: { field: string }) =>
    `"${field}" is made of several fields, so no value can be compared with it; only \`when\` of an output can ask whether it is \`filled\`, or not`,
  too_many_parts: ({ most }: { most: number }) => `this makes more than ${most} fields; write fewer`,
  repeat_of_type: ({ type }: { type: string }) =>
    `no field of type ${type} can be repeated; put it beside the field of type repeat`,
  option_twice: ({ value }: { value: string }) => `"${value}" is an option already`,
  row_twice: ({ value }: { value: string }) => `"${value}" is a row already`,
  value_no_option: ({ value }: { value: string }) => `"${value}" is not one of the options`,
  not_a_currency: ({ found, near }: Found & Near) =>
    `found ${shown(found)}; expected a currency code of ISO 4217, such as EUR${meant(near)}`,
  formula_too_long: ({ most }: { most: number }) => `a formula has at most ${most} characters`,
  formula_number_malformed: ({ number }: { number: string }) => `"${number}" is not a number`,
  formula_function_unknown: ({ name, functions, near }: Name & Near & { functions: readonly string[] }) =>
    `"${name}" is not a function; expected ${oneOf(functions)}${meant(near)}`,
  formula_digits: ({ most }: { most: number }) =>
    `the second value of round is a whole number from 0 to ${most}`,
  formula_chain_too_long: ({ most }: { most: number }) =>
    `more than ${most} computed fields need each other's results here`,
  field_of_no_number: ({ name, type }: Name & { type: string }) =>
    type === 'hidden'
      ? `"${name}" is hidden, so anyone can change it unseen; write the number into the formula`
      : `"${name}" has the type ${type}, which is no number`,
  entries_uncounted: ({ name, number }: Name & { number: string }) =>
    `"${name}" is a list of entries; write count(${name}), or the sum of one of its fields, such as sum(${name}.${number})`,
  entries_outside_sum: ({ name }: Name) => `"${name}" has a value in each entry; write sum(${name})`,
  count_of_no_entries: ({ name }: Name) =>
    `"${name}" has no entries to count; expected the name of a field of type repeat`,
  entries_mixed: ({ name, other }: Name & { other: string }) =>
    `"${name}" and "${other}" are of different entries; write a sum for each`,
  worth_missing: ({ value }: { value: string }) =>
    `a formula needs the number that this stands for: {value: ${value}, worth: 10}`,
  worth_missing_of_box: ({ name }: Name) => `"${name}" needs a number that it stands for, such as worth: 10`,
  key_of_no_computed: ({ key }: { key: string }) =>
    `a computed field has no \`${key}\`: nobody fills it in; leave it out`,
  max_off_step: ({ max, min, step }: { max: number; min: number; step: number }) =>
    `${max} is not reached from min, which is ${min}, in steps of ${step}`,
  value_not_of_the_box: ({ found, value }: Found & { value: string }) =>
    `found ${shown(found)}; expected checked_value, which is "${value}"`,
  files_go_nowhere: ({ name }: { name: string }) =>
    `no output takes the files of "${name}"; they get their names and sizes alone`,
  output_address_reserved: ({ host }: { host: string }) =>
    host.endsWith('.invalid')
      ? `nothing is delivered here: no server is called ${host}; write the address of yours`
      : `nothing reaches ${host}, which is a name for examples; write the address of yours`,
  field_without_files: ({ name }: Name) => `"${name}" is no field of type file`,
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

  // Platforms that lack something.
  not_on_cloudflare: ({ what }: { what: keyof typeof onCloudflare }) =>
    `Cloudflare Workers cannot do this: ${onCloudflare[what]}`,
  not_bound: ({ name, kind }: Name & { kind: 'queue' | 'Durable Object' }) =>
    `no ${kind} is bound to "${name}"; add one to wrangler.jsonc (docs/deploy/cloudflare.md)`,
  store_of_cloudflare: ({ key }: { key: keyof typeof elsewhere }) =>
    `only Cloudflare Workers have this store, and a relay elsewhere does not load this config; there, write ${elsewhere[key]}; for Workers, check it with \`relay config validate --for cloudflare\``,

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

  // Outputs.
  output_type_unknown: ({ type, near, when }: Near & { type: string; when: string | undefined }) =>
    `"${type}" is not an output type: every submission ${when === undefined ? '' : `in which ${when} `}will be answered 500${meant(near)}`,
  mapping_of_template: ({ name, near }: Name & Near) =>
    `"${name}" is not a declared field: mapping takes a field's name, and templates belong under static${meant(near)}`,
  visitor_mail_to_no_email: ({ name, near }: Name & Near) =>
    `"${name}" is no field of type email, which alone takes nothing but an address${meant(near)}`,
  visitor_mail_to_template: ({ near }: Near) =>
    `expected the name of a field, without a template${meant(near)}`,
  visitor_mail_free_text: ({ name }: Name) =>
    `"${name}" cannot stand here, where anybody could send their words to any address in your name; only fields whose values the config lists, such as select, checkbox, rating, range and country, and computed ones can`,
  visitor_mail_page: ({ path }: { path: string }) =>
    `anybody can put what they like into ${path}, and so could send their words to any address in your name; leave it out`,
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
  opt_in_address_optional: ({ name }: Name) =>
    `without an address in "${name}", nobody could confirm anything, as double_opt_in asks; add required: true`,
  opt_in_address_conditional: ({ name }: Name) =>
    `without an address in "${name}", nobody could confirm anything, as double_opt_in asks; remove visible_when`,
  link_field_unbounded: ({ name, room, example }: Name & { room: number; example: number }) =>
    `double_opt_in keeps all that is filled in inside a link, which has room for ${room} bytes; add max_length to "${name}", such as ${example}`,
  link_field_undeclared: ({ name }: Name) =>
    `double_opt_in keeps all that is filled in inside a link, and "${name}" is not among fields, so that it could be of any length; declare it with a max_length`,
  link_too_long: ({ needed, room, repeats }: { needed: number; room: number; repeats: boolean }) =>
    `double_opt_in keeps all that is filled in inside a link, which has room for ${room} bytes; the fields together may take ${needed}, at 3 bytes a character; lower a max_length${repeats ? ' or most' : ''}, or leave out a field`,
  mailed_field_of_another_type: ({ name }: Name) =>
    `the value of "${name}" must be an address here; type: email on the field tells visitors so before they send the form`,
  link_decides: ({ name }: Name) =>
    `any link can fill the hidden field "${name}", which decides this; from_query: false on the field keeps links out`,
  page_decides: ({ path }: { path: string }) =>
    `whoever sends the form, or made the link to its page, can put anything into ${path}, which decides this; keep .page out of to, reply_to and headers`,
  submission_without_output: ({ name, values }: Name & { values: readonly string[] }) =>
    `a submission with ${values.length === 0 ? `${name} left empty` : `${name}: ${values.join(', ')}`} reaches no output, and is answered 500; leave out one when, or add an output for the rest`,
  aside_nowhere: ({ form }: { form: string }) =>
    `no output of ${form} takes what is set aside; write \`aside: only\`, or \`aside: also\`, into one`,
  keep_dropped_nowhere: ({ form }: { form: string }) =>
    `${form} has no archive to keep them in; add an output of type folder or s3 to it, or write keep_dropped only into forms that have one`,
  aside_unused: ({ isOnly }: { isOnly: boolean }) =>
    `nothing is set aside in this form${isOnly ? ', so this output never gets anything' : ''}; write \`doubt: {aside: 8}\` into its \`spam\`, or leave this out`,
  header_without_effect: ({ always }: { always: string }) =>
    `this header has no effect: it is always ${always}`,
  header_of_signature: ({ name }: Name) => `sign sends ${name} itself; it cannot be configured`,
  ses_too_many_tags: ({ most }: { most: number }) => `SES takes at most ${most} tags`,
  seal_key_malformed: ({ problem }: { problem: RecipientProblem }) => sealKeyProblems[problem],
  bucket_malformed: ({ found, bucket, prefix }: Found & { bucket?: string; prefix?: string }) =>
    `found ${shown(found)}; expected the bucket's name alone${bucket ? `: bucket: ${bucket}` : ''}${bucket && prefix ? `, and prefix: ${prefix}` : ''}`,
  bucket_unused: (unused: UnusedBucket) => sayFailure('s3_bucket_unused', unused),

  // Spam.
  rate_too_high: ({ found, most }: Found & { most: number }) =>
    `found ${shown(found)}; it may be at most ${most}, each of which is remembered`,
  rate_too_long: ({ found }: Found) =>
    `found ${shown(found)}; write at most 1d: what is counted is in memory, and forgotten when the relay stops`,
  not_an_origin: ({ found, near }: Found & { near?: string | undefined }) =>
    near === undefined
      ? `found ${shown(found)}; expected scheme, host and port alone, such as https://example.com, or https://*.example.com for all hosts below it`
      : `found ${shown(found)}; an origin is scheme, host and port alone: write ${near}`,

  doubt_out_of_reach: ({ action, from, most }: { action: string; from: number; most: number }) =>
    most === 0
      ? 'nothing speaks against a submission: all signals are switched off'
      : `${action} holds from ${from} points, and all signals together have ${most}`,
  doubt_after_drop: ({ action, from, dropped }: { action: string; from: number; dropped: number }) =>
    `${action} holds from ${from} points, and drop from ${dropped} already; write the larger number for drop`,

  // Lists.
  font_unreadable: ({ path, reason }: { path: string; reason: string }) =>
    `${path}: the font cannot be read (${reason})`,
  font_of_collection: ({ path }: { path: string }) =>
    `the file holds several fonts; name one with its PostScript name: ${path}#NotoSansCJKjp-Regular`,
  font_unusable: ({ path }: { path: string }) =>
    `${path}: it holds no TrueType or OpenType font, or none of this PostScript name`,
  font_characters_missing: ({
    language,
    characters,
    isStandard,
  }: {
    language: string;
    characters: string;
    isStandard: boolean;
  }) =>
    `${isStandard ? 'without fonts, a PDF can only show Western European letters' : 'none of the fonts has all letters'}; ` +
    `for ${language}, ${characters} cannot be shown; name a font that has them under \`pdf: {fonts: […]}\` (docs/pdf.md)`,
  list_unreadable: ({ path, reason }: { path: string; reason: string }) => `${path}: ${reason}`,
  list_empty: ({ path }: { path: string }) => `${path} has no entry, so it finds nothing`,
  model_lacks: ({ name }: { name: string }) =>
    `this is no whole model: it has no line \`${name}\`; let relay rules learn write it again`,
  model_of_other_format: ({ format }: { format: number }) =>
    `this model has format ${format}, and this relay reads format 1; let relay rules learn write it again`,
  model_weights: ({ found, expected }: { found: number; expected: number }) =>
    `this is no whole model: it has ${found} of ${expected} weights; let relay rules learn write it again`,
  list_entry_too_long: ({ most }: { most: number }) =>
    `no entry is over ${most} characters; a list is one entry a line`,
  list_phrase_too_long: ({ words, most }: { words: number; most: number }) =>
    `found ${words} words; a phrase may have ${most}: write those that tell it from others`,
  list_network_not_whole: ({ meant }: { meant: string }) =>
    `this is an address within a network, and not the network; write ${meant}, or the address without /`,

  // The inbox.
  inbox_form_unknown: ({ form, near }: Near & { form: string }) =>
    `this config has no form "${form}"; the right holds for submissions to it that are still stored${meant(near)}`,

  // Alerts.
  alert_same_host: ({ host, form }: { host: string; form: string }) =>
    `"${form}" delivers through ${host}, too: where that fails, nobody can be told; add an output that goes through another`,
  bounces_told_there_alone: ({ address, form }: { address: string; form: string }) =>
    `alerts go to ${address} alone, and so does "${form}": if that address takes no mail, nobody is told; add another output, such as ntfy`,
  alert_type_unknown: ({ type, near }: Near & { type: string }) =>
    `"${type}" is not an output type, so it tells nobody${meant(near)}`,
  secret_literal: ({ variable }: { variable: string }) =>
    `a secret stands in the environment alone; write '{{ env "${variable}" }}' here`,
  dkim_not_aligned: ({ domain, from }: { domain: string; from: string }) =>
    `mails from ${from} are signed for ${domain}, which DMARC does not count: both must be of one domain`,
  oauth2_param_reserved: ({ name, key }: Name & { key: string }) => `${name} has a key of its own: ${key}`,
  oauth2_key_elsewhere: ({ key, homes }: { key: string; homes: readonly string[] }) =>
    `${key} belongs to grant: ${oneOf(homes)}`,
  auth_without_username: ({ auth }: { auth: string }) =>
    `${auth} needs a username: ${auth === 'oauth2' ? 'the mailbox that the token is for' : 'the one that the relay signs in as'}`,
  recipients_in_list: ({ joined }: { joined: string | undefined }) =>
    `found a list; write one text, with commas between the addresses: ${joined ?? 'a@example.com, b@example.com'}`,
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
  mail_text_instead: ({ key }: { key: string }) =>
    `this has no effect beside \`text\`, which is all that the mail says; write what you want of ${key} into it`,
  header_twice: ({ first }: { first: string }) => `this header stands here twice, also as ${first}; keep one`,

  // Templates.
  template_field_undeclared: ({ name, near }: Name & Near) =>
    `this template reads "${name}", which is not a declared field${meant(near)}`,
  template_always_empty: ({ path, near }: Near & { path: string }) => `${path} is always empty${meant(near)}`,
  template_page_not_asked: ({ path }: { path: string }) =>
    `${path} is empty, since the form does not ask for its page; write page: true beside fields`,
  template_with_control: ({ word }: { word: string }) =>
    `\`${word}\` is not available: templates only insert values`,
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
  template_values_miscounted: ({ name, takes, given }: Name & { takes: number; given: number }) =>
    `${name} takes ${takes} value${takes === 1 ? '' : 's'}, found ${given}`,
  template_literal_missing: ({ name, expected }: Name & { expected: string }) => `${name} needs ${expected}`,
  template_list_missing: ({ name, place }: Parameter) =>
    `${name} needs a list${ordinal(place)}, found text; write (values "name")`,
  template_text_missing: ({ name, place }: Parameter) =>
    `${name} needs text${ordinal(place)}, found a list; write (join "," (values "name"))`,
  template_too_long: ({ most }: { most: number }) =>
    `one action can have at most ${most} functions and parentheses`,

  // The file.
  config_unreadable: ({ reason }: { reason: string }) => reason,
  more_problems: ({ count }: { count: number }) => `${count} more problems from here on`,

  // YAML.
  /** The parser's own words, without what they quote. */
  yaml_refused: ({ complaint }: { complaint: string }) => complaint,
  yaml_aliases_too_large: ({ nodes }: { nodes: number }) =>
    `the aliases unfold to ${nodes} nodes; write the shared part out, or use fewer`,
  yaml_start_unquoted: ({ character }: { character: string }) =>
    `text that starts with ${character} must stand in quotes`,
  yaml_line_below_a_value: ({ isDash, line, column }: Neighbour) =>
    isDash
      ? `the item in line ${line} is complete, so nothing can stand below it; add this inside it, or start a new item with a dash in column ${column}`
      : `this line is indented further than line ${line}, which already has a value; line the two up`,
  yaml_list_below_a_value: ({ line }: Neighbour) =>
    `line ${line} already has a value, so it cannot have this list as well; remove one of the two`,
  yaml_line_out_of_line: ({ column, near, waiting }: Column & Nearby & { waiting: Neighbour | undefined }) =>
    `this line starts in column ${column}, which matches nothing above it; line it up with ${neighbours(near)}${waiting ? `, or indent it further to put it below line ${waiting.line}` : ''}`,
  yaml_dash_missing: ({ near }: Nearby) =>
    `this line stands where its list has dashes; start it with "- "${near.length > 0 ? `, or line it up with ${neighbours(near)}` : ''}`,
  yaml_dash_out_of_line: ({ column, near }: Column & Nearby) =>
    `this dash in column ${column} matches no list above it; line it up with ${neighbours(near)}`,
  yaml_dash_left_of_its_key: ({ line, column }: Neighbour) =>
    `this dash is too far left to belong to the key in line ${line}; move it to column ${column + 2}`,
};

interface Found {
  readonly found: unknown;
}

interface Name {
  readonly name: string;
}

/** A line above with which another can be aligned. */
export interface Neighbour {
  /** Whether it is the dash of a list; else a key. */
  readonly isDash: boolean;
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

const neighbours = (all: readonly Neighbour[]) =>
  all
    .map(({ isDash, line, column }) => `${isDash ? 'the dash in ' : ''}line ${line} (column ${column})`)
    .join(' or ');

interface Column {
  readonly column: number;
}

interface Nearby {
  readonly near: readonly Neighbour[];
}

interface Parameter extends Name {
  /** From 0; `undefined` if the function takes only one value. */
  readonly place: number | undefined;
}

const ordinal = (place: number | undefined) =>
  place === undefined ? '' : ` as its ${['first', 'second'][place]} value`;

/** The place where a key belongs. */
export type KeyHome =
  | { readonly in: 'file' | 'spam' | 'captcha' | 'form' }
  /** The form's name, if it is certain. */
  | { readonly in: 'forms'; readonly form: string | undefined }
  /** These types; an empty list means every type. */
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

/** The name that was probably meant. */
interface Near {
  readonly near: string | undefined;
}

interface Limited {
  readonly value: number;
  /** The key that sets the limit. */
  readonly key: string;
}

export type NamedCheck = keyof typeof namedChecks;

const namedChecks = {
  honeypot: 'the honeypot',
  min_fill: 'the min-fill token',
  captcha: 'the captcha token',
  page: 'the hidden field for the page',
  proof: 'the solution of the puzzle',
  doubt: 'the mark that outputs find on what is doubted',
  token: 'the token that carries the puzzle',
  link: 'the content of a link that fills in the form',
  resume: 'the button that mails a link',
};

const usualNames = { honeypot: 'website', min_fill: '_ts', captcha: 'captcha_token' };

type Composed = typeof composed;
export type FindingCode = keyof typeof plain | keyof typeof afterFound | keyof Composed;

/** Codes whose words take no parameters. */
export type PlainCode = keyof typeof plain;

type Params<C extends FindingCode> = C extends keyof Composed
  ? Parameters<Composed[C]>[0]
  : C extends keyof typeof afterFound
    ? Found
    : Readonly<Record<never, never>>;

/** The `params` of a finding with this code; optional if its words take none. */
export type FindingArgs<C extends FindingCode> =
  Record<never, never> extends Params<C> ? [params?: Params<C>] : [params: Params<C>];

/**
 * A finding in words.
 *
 * @param isSecret Whether the value may be a secret, as in `headers: "Authorization: Bearer hunter2"`: then it is not quoted.
 */
export function say(
  { code, params }: { readonly code: FindingCode; readonly params: object },
  isSecret = false,
): string {
  if (code in plain) return plain[code as PlainCode];
  const { found } = params as Partial<Found>;
  const quoted = isSecret && typeof found === 'string' && found !== '' ? secret : found;
  if (code in afterFound) return `found ${shown(quoted)}; ${afterFound[code as keyof typeof afterFound]}`;
  const compose = composed[code as keyof Composed] as (params: object) => string;
  return compose('found' in params ? { ...params, found: quoted } : params);
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

/** A hint for text that only resembles an address. */
function hintOfMailbox(found: unknown): string {
  if (typeof found !== 'string') return '';
  if (found.includes('{{')) return '; templates cannot stand here';
  if (/^[^"<@]*,[^"<]*</.test(found)) return nameWithComma;
  return /[^\0-\x7f][^\s<>@]*@/.test(found)
    ? '; before the @ stand letters from a to z, digits and a few signs'
    : '';
}

/** The list that was probably meant: `[a, b]` for `a, b`. */
function listed(found: unknown): string {
  const isPlain =
    typeof found === 'string' &&
    /^[\w.\u00a1-\uffff-][\w. ,\u00a1-\uffff-]*$/.test(found) &&
    found.length <= 40;
  const items = isPlain ? found.split(',').map((item) => item.trim()) : [];
  return items.length === 0 || items.includes('') ? '' : ` such as [${items.join(', ')}]`;
}

const isText = (found: unknown) => found === secret || typeof found === 'string';

/** As people write it: `25s`, `2160h`. */
function inUnits(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  return ms < 3_600_000 ? `${ms / 1_000}s` : `${ms / 3_600_000}h`;
}

const meant = (near: string | undefined) => (near === undefined ? '' : ` (did you mean ${near}?)`);

/** Hundreds of names would hide the text after them. */
const firstOf = (names: readonly string[]) =>
  names.length <= 12 ? names.join(', ') : `${names.slice(0, 10).join(', ')} and ${names.length - 10} more`;

const oneOf = (options: readonly string[]) =>
  options.length < 2 ? options.join() : `${options.slice(0, -1).join(', ')} or ${options.at(-1)}`;

/** Where a relay keeps and counts that does not run on Workers. */
const elsewhere = {
  keep: 'a folder such as /var/lib/form-relay, sqs://… or nats://… (docs/keep.md)',
  counted_in:
    'a folder such as /var/lib/form-relay, nats://host:4222/stream or dynamodb://table (docs/places.md)',
} as const;

/** Why Workers cannot do it, and what to do instead. */
const onCloudflare = {
  smtp: 'SMTP needs a socket; send mail with type: email (Amazon SES), or through the HTTP API of a mail provider with type: webhook',
  through: 'SMTP needs a socket; send this mail through Amazon SES, with type: email',
  folder: 'there is no disk; write to a bucket with type: s3',
  scan: 'clamd needs a socket; leave scan out, or run this form elsewhere',
  keep: 'deliveries are kept in queues of Cloudflare alone; write in: queue://KEPT/ASIDE',
  counted:
    'there is no disk, and NATS needs a socket; write counted_in: durable-object://COUNTS, or dynamodb://table',
  inbox:
    'the inbox needs a port and a disk; leave it out here, and serve it with a relay that lives on (docs/inbox-team.md)',
  seal_file: 'there is no disk; write the keys into the config, with seal_to',
  journal: 'nothing lives on to write it; leave it out, and read the log (docs/logs.md)',
  monitor:
    'nothing lives on between requests to watch; leave it out, and have Cloudflare notify you of the queue and of errors',
  fonts: 'there is no disk to read fonts from; leave fonts out, which leaves Latin-1',
  file: 'there is no disk; name a file relative to the config, and put it beside the config in KV',
  pattern:
    'a browser could take exponential time for this pattern, and there is no thread to stop it; write one without lookaround and back references',
} as const;
