/** The words of findings that take more than a text (`finding_words.json`). */
import type { UnusedBucket } from '../base/client_error.ts';
import { say as sayFailure } from '../base/client_error_words.ts';
import phrases from './finding_phrases.json' with { type: 'json' };
import { firstOf, meant, oneOf, secret, shown } from './said_values.ts';
import { sayRemoved } from './settings/removed_variables.ts';

export const composed = {
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
  key_unknown: ({ known, near }: Near & { known: readonly string[] }) =>
    `unknown key${meant(near) || `; expected ${oneOf(known)}`}`,
  key_removed: sayRemoved,
  key_elsewhere: ({ key, near, home }: Near & { key: string; home: KeyHome }) =>
    `unknown key${meant(near) || ' here'}; ${near ?? key} belongs ${belongs(near ?? key, home)}`,
  form_outside_forms: ({ hasForms }: { hasForms: boolean }) =>
    `unknown key here; this looks like a form: ${hasForms ? 'indent it, so that it stands below forms' : 'write `forms:` on a line above it, and indent it'}`,
  value_above: ({ value, key, most }: Limited & { most: number }) =>
    `found ${value}; expected at most ${key === 'options' ? 'the number of options' : `\`${key}\``}, which is ${most}`,
  resume_to_whom: ({ emails }: { emails: readonly string[] }) =>
    emails.length === 0
      ? 'nobody knows where to mail the link; give the form a field of type email'
      : `the form has several fields of type email; say which one gets the link, such as resume: {to: ${emails[0]}}`,
  field_of_no_number: ({ name, type }: Name & { type: string }) =>
    type === 'hidden'
      ? `"${name}" is hidden, so anyone can change it unseen; write the number into the formula`
      : `"${name}" has the type ${type}, which is no number`,
  output_address_reserved: ({ host }: { host: string }) =>
    host.endsWith('.invalid')
      ? `nothing is delivered here: no server is called ${host}; write the address of yours`
      : `nothing reaches ${host}, which is a name for examples; write the address of yours`,
  field_named_twice: ({ name, key }: Name & { key: 'groups' | 'steps' }) =>
    `"${name}" is in ${key === 'steps' ? 'a step' : 'a group'} already`,
  condition_never_holds: ({
    found,
    field,
    near,
    possible,
  }: Found & Near & { field: string; possible: readonly string[] }) =>
    `found ${shown(found)}; "${field}" never has this value${meant(near) || `; expected ${oneOf(possible)}`}`,
  language_without_texts: ({ tag, known, near }: Near & { tag: string; known: readonly string[] }) =>
    `the relay does not speak "${tag}"${meant(near) || `; it speaks ${known.join(', ')}`}; language_files brings others`,
  language_not_of_form: ({ languages, near }: Near & { languages: readonly string[] }) =>
    `this is none of the form's languages${meant(near) || `, which are ${languages.join(', ')}`}`,
  language_incomplete: ({ tag, missing }: { tag: string; missing: readonly string[] }) =>
    `"${tag}" lacks ${missing.length} texts, which are said in English: ${firstOf(missing)}`,
  translation_missing: ({ missing, instead }: { missing: readonly string[]; instead: string }) =>
    `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing; visitors read the words of ${instead}`,
  message_unknown: ({ near }: Near) =>
    `the relay says nothing by this name${meant(near) || '; relay form messages prints all names'}`,
  message_parameter_unknown: ({ name, known, near }: Name & Partial<Near> & { known: readonly string[] }) =>
    `there is no {${name}} in this message${meant(near) || (known.length > 0 ? `; it has ${known.map((one) => `{${one}}`).join(', ')}` : '; it has none')}`,
  message_without_count: ({ known }: { known: readonly string[] }) =>
    known.length === 0
      ? 'there is no number in this message, so it has no plural forms; write one text'
      : `count must name the number that decides the form: ${oneOf(known)}`,
  check_named_as_flag: ({ found, isOn, check }: Found & { isOn: boolean; check: keyof typeof usualNames }) =>
    isOn
      ? `${phrases.checks[check]} gets the name ${shown(found)}; write the name that its field is to have, such as ${usualNames[check]}`
      : `${phrases.checks[check]} gets the name ${shown(found)}; leave this key out to go without`,
  output_type_unknown: ({ type, near, when }: Near & { type: string; when: string | undefined }) =>
    `"${type}" is not an output type: every submission ${when === undefined ? '' : `in which ${when} `}will be answered 500${meant(near)}`,
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
  link_too_long: ({ needed, room, repeats }: { needed: number; room: number; repeats: boolean }) =>
    `double_opt_in keeps all that is filled in inside a link, which has room for ${room} bytes; the fields together may take ${needed}, at 3 bytes a character; lower a max_length${repeats ? ' or most' : ''}, or leave out a field`,
  submission_without_output: ({ name, values }: Name & { values: readonly string[] }) =>
    `a submission with ${values.length === 0 ? `${name} left empty` : `${name}: ${values.join(', ')}`} reaches no output, and is answered 500; leave out one when, or add an output for the rest`,
  aside_unused: ({ isOnly }: { isOnly: boolean }) =>
    `nothing is set aside in this form${isOnly ? ', so this output never gets anything' : ''}; write \`doubt: {aside: 8}\` into its \`spam\`, or leave this out`,
  bucket_malformed: ({ found, bucket, prefix }: Found & { bucket?: string; prefix?: string }) =>
    `found ${shown(found)}; expected the bucket's name alone${bucket ? `: bucket: ${bucket}` : ''}${bucket && prefix ? `, and prefix: ${prefix}` : ''}`,
  bucket_unused: (unused: UnusedBucket) => sayFailure('s3_bucket_unused', unused),
  not_an_origin: ({ found, near }: Found & { near?: string | undefined }) =>
    near === undefined
      ? `found ${shown(found)}; expected scheme, host and port alone, such as https://example.com, or https://*.example.com for all hosts below it`
      : `found ${shown(found)}; an origin is scheme, host and port alone: write ${near}`,
  doubt_out_of_reach: ({ action, from, most }: { action: string; from: number; most: number }) =>
    most === 0
      ? 'nothing speaks against a submission: all signals are switched off'
      : `${action} holds from ${from} points, and all signals together have ${most}`,
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
  model_weights: ({ found, expected }: { found: number; expected: number }) =>
    `this is no whole model: it has ${found} of ${expected} weights; let relay rules learn write it again`,
  auth_without_username: ({ auth }: { auth: string }) =>
    `${auth} needs a username: ${auth === 'oauth2' ? 'the mailbox that the token is for' : 'the one that the relay signs in as'}`,
  recipient_malformed: ({ source, isFirstOfName }: { source: string; isFirstOfName: boolean }) =>
    `"${source.replaceAll(/\s+/g, ' ')}" is not an address like name@example.com, alone or as Name <name@example.com>${
      isFirstOfName
        ? nameWithComma
        : /[;\n]/.test(source)
          ? '; write commas between several'
          : hintOfMailbox(source)
    }`,
  template_function_unknown: ({ found, near, known }: Found & Near & { known: readonly string[] }) =>
    found === secret || near === undefined
      ? `unknown function${found === secret ? '' : ` ${shown(found)}`}; the functions are ${known.join(', ')}`
      : `unknown function ${shown(found)}${meant(near)}`,
  template_values_miscounted: ({ name, takes, given }: Name & { takes: number; given: number }) =>
    `${name} takes ${takes} value${takes === 1 ? '' : 's'}, found ${given}`,
  yaml_line_below_a_value: ({ isDash, line, column }: Neighbour) =>
    isDash
      ? `the item in line ${line} is complete, so nothing can stand below it; add this inside it, or start a new item with a dash in column ${column}`
      : `this line is indented further than line ${line}, which already has a value; line the two up`,
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

/** The name that was probably meant. */
interface Near {
  readonly near: string | undefined;
}

interface Limited {
  readonly value: number;
  /** The key that sets the limit. */
  readonly key: string;
}

const usualNames = { honeypot: 'website', min_fill: '_ts', captcha: 'captcha_token' };

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
