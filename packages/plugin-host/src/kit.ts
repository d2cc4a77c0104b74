/**
 * The kit: everything that third-party plug-ins get, `export default (kit) => plugin`. Minor releases only
 * add to it. A test runs the examples, where `read(kind, written)` reads a value of a config.
 */
import { randomUUID } from 'node:crypto';
import { domainOf, parseAddress } from '@form-relay/base/address';
import { sameAddress } from '@form-relay/base/canonical';
import { fail, retry } from '@form-relay/base/client_error';
import { attributes, type Html, html, withLinks } from '@form-relay/base/html';
import { seal, sign, unseal, verify } from '@form-relay/base/seal';
import { isTimeZone, momentWords } from '@form-relay/base/time_zone';
import { firstValue, sizeInWords, type Values, withoutEmpty } from '@form-relay/base/values';
import { version } from '@form-relay/base/version';
import { type Check, command } from '@form-relay/core/command';
import { fieldExtension, outputExtension } from '@form-relay/core/extensions';
import { choiceGroup, optionsWith } from '@form-relay/core/fields/choices';
import type { ControlState } from '@form-relay/core/fields/field';
import { controlAttributes, input } from '@form-relay/core/fields/text';
import type { RelayResponse } from '@form-relay/core/http/request';
import type { Message } from '@form-relay/core/messages/message';
import { addressKeys, addressProblems } from '@form-relay/core/outputs/http';
import { invalid } from '@form-relay/core/pipeline/validate';
import { feature, interfaceVersion, type Plugin } from '@form-relay/core/plugin';
import { signal } from '@form-relay/core/signal';
import {
  dropped,
  type FieldError,
  guard,
  type Outcome,
  onOutcome,
  type Payload,
  refused,
} from '@form-relay/core/submission';
import { filledOwnTemplate } from '@form-relay/more-outputs/templates';
import { timeInWords } from '@form-relay/schema/duration';
import {
  array,
  boolean,
  duration,
  emailAddress,
  httpUrl,
  isMap,
  jsonSchemaOf,
  number,
  object,
  oneOf,
  optional,
  type Properties,
  record,
  required,
  type Schema,
  schema,
  secret,
  size,
  template,
  text,
  url,
  withDefault,
} from '@form-relay/schema/kinds';
import { pluginOutput } from './plugin_outputs.ts';
import { pluginField } from './wrapped_members.ts';

type Params = Message['params'];

const kit = {
  /** The keys of a config that a plug-in adds: a kind, in `required`, `optional` or `withDefault`. */
  key: {
    /** Text. `read(kit.key.text(), 'a')` is `'a'`. */
    text,
    /**
     * Text with `{{ … }}`, rendered for each submission. With `{ submitted: false }`, the text is not empty, and contains nothing
     * that visitors submit; use it for a room or a recipient. `read(kit.key.template(), 'Hello').render({})` is `'Hello'`.
     */
    template: ({ submitted = true }: { readonly submitted?: boolean } = {}) =>
      submitted ? template() : filledOwnTemplate(),
    /** A number, with optional limits. `read(kit.key.number({ least: 0 }), '1.5')` is `1.5`. */
    number,
    /** A whole number. `read(kit.key.whole({ most: 9 }), '3')` is `3`. */
    whole: (limits: { readonly least?: number; readonly most?: number } = {}) =>
      number({ ...limits, whole: true }),
    /** `true` or `false`. `read(kit.key.boolean(), 'true')` is `true`. */
    boolean,
    /** A duration; the value is in milliseconds. `read(kit.key.duration(), '1m30s')` is `90_000`. */
    duration,
    /** A size; the value is in bytes. `read(kit.key.size(), '2KB')` is `2_048`. */
    size,
    /** An absolute URL with any scheme. `read(kit.key.url(), 'ldaps://example.com').protocol` is `'ldaps:'`. */
    url,
    /** An `http:` or `https:` URL without credentials. `read(kit.key.httpUrl(), 'https://example.com').host` is `'example.com'`. */
    httpUrl,
    /** An e-mail address. `read(kit.key.address(), 'ada@example.org')` is `'ada@example.org'`. */
    address: emailAddress,
    /** A word from a list. `read(kit.key.oneOf(['day', 'night']), 'day')` is `'day'`. */
    oneOf,
    /** A list of values of one kind. `read(kit.key.list(kit.key.text(), { orOne: true }), 'a')` is `['a']`. */
    list: array,
    /** A map whose keys the owner chooses. `read(kit.key.map(kit.key.text()), { a: 'b' }).get('a')` is `'b'`. */
    map: record,
    /** A map with fixed keys. `read(kit.key.block({ a: kit.key.optional('A word.', kit.key.text()) }), { a: 'b' }).a` is `'b'`. */
    block: object,
    /** The options of a field, which may have keys of your own. `read(kit.key.options(), ['a'])` is `[{ value: 'a', label: 'a' }]`. */
    options: <K extends Properties>(keys?: K) => optionsWith(keys ?? ({} as K)),
    /** A short form, or a block in its place. `read(kit.key.either(kit.key.boolean(), kit.key.block({})), 'true')` is `true`. */
    either: <A, B>(short: Schema<A>, block: Schema<B>): Schema<A | B> =>
      schema(
        () => ({ anyOf: [jsonSchemaOf(short), jsonSchemaOf(block)] }),
        (value, at) => (isMap(value) ? block(value, at) : short(value, at)),
        block,
      ),
    /** A secret: the config names an environment variable. `read(kit.key.secret(), '{{ env "KEY" }}').render({ env: () => 'x' })` is `'x'`. */
    secret,
    /** A required key. `kit.key.required('The room.', kit.key.text()).doc` is `'The room.'`. */
    required,
    /** An optional key. `kit.key.optional('The room.', kit.key.text()).isRequired` is `undefined`. */
    optional,
    /** A key with a default, as written in a config. `kit.key.withDefault('10s', 'How long.', kit.key.duration()).fallback` is `'10s'`. */
    withDefault,
  },

  // Each of these returns its argument; in an editor, they suggest and check its members.
  /** An output type. `kit.output({ type: 'crm', summary: 'Adds a lead.', keys: {}, open: () => ({ target: 'the CRM', send: async () => {} }) }).type` is `'crm'`. */
  output: pluginOutput,
  /** A field type. `kit.field({ type: 'plate', summary: 'A number plate.', keys: {}, control: (field, state) => kit.html.input('text', field, state) }).type` is `'plate'`. */
  field: pluginField,
  /** A signal of the spam score. `kit.signal({ name: 'crm', summary: 'Unknown to the CRM.', weight: 3, score: () => undefined }).weight` is `3`. */
  signal,
  /** Any other feature of a form. `kit.feature({ name: 'quiet', configure: () => undefined }).name` is `'quiet'`. */
  feature,
  /** A kind of store. `kit.store({ schemes: ['redis'], open: () => ({}) }).schemes` is `['redis']`. */
  store: <T extends NonNullable<Plugin['stores']>[number]>(definition: T): T => definition,
  /** A command of `relay`. `kit.command({ name: 'leads', summary: 'list leads' }).name` is `'leads'`. */
  command,
  /** A check of `relay doctor`. `kit.check({ name: 'crm', probe: async () => [] }).name` is `'crm'`. */
  check: (definition: Check): Check => definition,
  extension: {
    /** Keys for all fields, or for those of some types. `kit.extension.field({ name: 'unit', keys: {}, configure: () => undefined }).name` is `'unit'`. */
    field: fieldExtension,
    /** Keys for all outputs, or for those of some types. `kit.extension.output({ name: 'quiet', keys: {}, configure: () => undefined }).name` is `'quiet'`. */
    output: outputExtension,
  },

  /**
   * A temporary failure, to be retried; `throw` it. The message is logged, and must not hold a submitted
   * value. `kit.retry('it is busy', { afterMs: 5_000 }).retryAfterMs` is `5_000`.
   */
  retry,
  /** A permanent failure, not to be retried; `throw` it. `kit.fail('there is no such list').message` is `'there is no such list'`. */
  fail,
  /**
   * Ends a submission with a message to its visitor, or with errors of fields. `kit.refused(422, 'banned_word').message.code`
   * is `'banned_word'`, and `kit.refused(422, [kit.problem('cv', 'infected')]).errors[0].field` is `'cv'`.
   */
  refused: (status: number, why: string | readonly FieldError[], params?: Params): Outcome =>
    typeof why === 'string' ? refused(status, why, params) : { ...invalid(why), status },
  /** Answers a bot as if the submission had succeeded, and delivers nothing; the reason is logged. `kit.dropped('my_check', 'a banned word').status` is `200`. */
  dropped,
  /** Ends a submission with your own response. `kit.answered('teapot', { status: 418, headers: {}, body: '' }).status` is `418`. */
  answered: (kind: string, answer: RelayResponse): Outcome => ({ kind, status: answer.status, answer }),
  /** A middleware that only accepts or rejects. `kit.guard(() => kit.refused(429, 'later'))(() => 'next')({}).status` is `429`. */
  guard,
  /** A middleware that sees the outcome, and returns it or another one. `kit.onOutcome((outcome) => outcome)(() => 'delivered')({})` is `'delivered'`. */
  onOutcome,

  /** Markup. There is no other way to create it. Inserted values are escaped. */
  html: {
    /** A template tag. `` String(kit.html.tag`<b>${'<i>'}</b>`) `` is `'<b>&lt;i&gt;</b>'`. */
    tag: html,
    /** An owner's text, with `[words](…)` turned into links. `String(kit.html.text('[Terms](/terms)'))` is `'<a href="/terms">Terms</a>'`. */
    text: withLinks,
    /**
     * An `<input>` element, tied to its label, help and error. `String(kit.html.input('color', { name: 'hue'
     * }, state))` is `'<input type="color" id="f--hue" name="hue">'`.
     */
    input,
    /** Radio buttons, or checkboxes. `String(kit.html.choices('radio', 'size', [{ value: 's', label: 'Small' }], state)).includes('value="s"')` is `true`. */
    choices: choiceGroup,
    /**
     * The attributes that tie any other control to its label, help and error. ``
     * String(kit.html.tag`<meter${kit.html.attributes({ name: 'hue' }, state)}>`) `` is `'<meter id="f--hue"
     * name="hue">'`.
     */
    attributes: (field: Parameters<typeof controlAttributes>[0], state: ControlState): Html =>
      attributes(controlAttributes(field, state)),
  },

  /** A message in the visitor's language, by its code in `messages`. `kit.message('too_late', { hour: 9 })` is `{ code: 'too_late', params: { hour: 9 } }`. */
  message: (code: string, params?: Params): Message => ({ code, ...(params && { params }) }),
  /** An error of a field; `at` is the index of the value if there are several. `kit.problem('cv', 'infected')` is `{ field: 'cv', code: 'infected' }`. */
  problem: (field: string, code: string, params?: Params, at?: number): FieldError => ({
    field,
    code,
    ...(params && { params }),
    ...(at !== undefined && { at }),
  }),

  values: {
    /** The first non-empty value of a field, or the empty text. `kit.values.first(new Map([['name', ['', 'Ada']]]), 'name')` is `'Ada'`. */
    first: firstValue,
    /** The non-empty values of a field. `kit.values.all(new Map([['name', ['', 'Ada']]]), 'name')` is `['Ada']`. */
    all: (values: Values, field: string): readonly string[] => withoutEmpty(values.get(field) ?? []),
    /** A payload as readable lines. `kit.values.lines([['name', ['Ada', 'Grace']]])` is `['name: Ada, Grace']`. */
    lines: (payload: Payload): readonly string[] =>
      payload.map(([key, values]) => `${key}: ${values.join(', ')}`),
    /** A readable number of bytes. `kit.values.size(2_048)` is `'2 KB'`. */
    size: sizeInWords,
  },

  address: {
    /** Normalizes an address; `undefined` if mail servers may refuse it. `kit.address.parse('ada@example')` is `'ada@example'`. */
    parse: parseAddress,
    /** The domain of an address. `kit.address.domain('ada@Example.org')` is `'example.org'`. */
    domain: domainOf,
    /** Whether two spellings mean the same address. `kit.address.same('Ada@example.org', 'Ada <ada@example.org>')` is `true`. */
    same: (one: string, other: string): boolean => sameAddress(one) === sameAddress(other),
  },

  time: {
    /** A readable duration. `kit.time.inWords(90_000)` is `'90 s'`. */
    inWords: timeInWords,
    /** A moment as a parameter of a message, in the visitor's language. `kit.time.moment(0, 'Europe/Berlin').spell(['en'])` is `'1 January 1970 at 01:00 CET'`. */
    moment: momentWords,
    /** Whether a time zone with this name exists. `kit.time.isZone('Europe/Berlin')` is `true`. */
    isZone: isTimeZone,
  },

  /**
   * Encrypts a text that travels through browsers or mails. Only the same secret and use open it; each call returns a
   * different result. `kit.unseal('a secret', 'invitation', kit.seal('a secret', 'invitation', 'Ada'))` is `'Ada'`.
   */
  seal: (secret: string, use: string, text: string): string =>
    seal(secret, `plugin ${use}`, '', Buffer.from(text), randomUUID()),
  /** The sealed text; `undefined` if the secret or the use differs. `kit.unseal('a secret', 'invitation', 'forged')` is `undefined`. */
  unseal: (secret: string, use: string, sealed: string): string | undefined => {
    const bytes = unseal(secret, `plugin ${use}`, '', sealed, Infinity);
    return bytes && Buffer.from(bytes).toString('utf8');
  },
  /** Signs a text that anyone may read. `kit.sign('a secret', 'invitation', 'Ada').length` is `43`. */
  sign: (secret: string, use: string, text: string): string => sign(secret, `plugin ${use}`, text),
  /** Whether a signature belongs to the text. `kit.verify('a secret', 'invitation', 'Ada', kit.sign('a secret', 'invitation', 'Ada'))` is `true`. */
  verify: (secret: string, use: string, text: string, signature: string): boolean =>
    verify(secret, `plugin ${use}`, text, signature),

  /** The version of this interface, to be named in `needs`. `kit.version` is `'1.0'`. */
  version: interfaceVersion,

  /** The keys `url` and `url_env` of an output; one of them holds the address for its requests. */
  destination: {
    /** The keys. `Object.keys(kit.destination.keys)` is `['url', 'url_env']`. */
    keys: addressKeys,
    /** Use as `problems` of an output: reports an error if both keys are set, or neither. `typeof kit.destination.check` is `'function'`. */
    check: addressProblems,
  },
};

export type Kit = typeof kit;

/**
 * The default export of a plug-in's module. The relay may call it more than once, so it must have no side
 * effects. `options`: the values under `with` in a config, as `Plugin.options` reads them.
 */
export type MakePlugin<O = unknown> = (kit: Kit, options: O) => Plugin;

const here = Symbol.for('form-relay kit');
type Shared = { [here]?: { readonly version: string; readonly kit: Kit } };

/** The part of a version that must match. Below 1, a minor version may break. */
const major = (text: string): string =>
  text
    .split('.')
    .slice(0, text.startsWith('0.') ? 2 : 1)
    .join('.');

/** The kit of this process. A plug-in with a second copy of the library gets the same one, because templates and markup are recognized by their class. */
export function sharedKit(): Kit {
  const shared = globalThis as Shared;
  shared[here] ??= { version, kit };
  const { version: running, kit: first } = shared[here];
  if (major(running) !== major(version))
    throw new Error(
      `two versions of form-relay in one process, ${running} and ${version}: a plug-in installs its own copy; make form-relay a peer dependency of the plug-in`,
    );
  return first;
}
