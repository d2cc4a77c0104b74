// The interface for plug-ins, version 1.0. `npm run interface` writes this file.
/** More about a mistake. */
interface About {
  /** Names the mistake for programs. */
  readonly code?: string | undefined;
  /** The key itself is wrong, not its value. */
  readonly aboutKey?: boolean | undefined;
  /** The word probably meant instead of `word`. The message ends with it. */
  readonly suggestion?: string | undefined;
}
/** An address as 16-bit groups: two for IPv4, also if mapped (`::ffff:192.0.2.1`; RFC 4291, 2.5.5.2), eight for IPv6. */
type Address = readonly number[];
interface Addressed {
  readonly url?: URL | undefined;
  readonly url_env?: string | undefined;
}
interface AuthorsFailure {
  /** Names the kind of failure, for stores. */
  readonly code?: string;
}
/** Reads bodies of one media type. */
interface BodyParser {
  /** In lower case, such as `multipart/form-data`. */
  readonly mediaType: string;
  /** The size limit. Bodies up to 64 KB count towards BODY_BYTES_LIMIT, larger ones towards UPLOAD_BUDGET. */
  readonly maxBytes: number;
  readonly parse: (body: Uint8Array, contentType: string) => MaybePromise<ParsedBody | Outcome>;
}
/** How much time a try has. */
interface Call {
  readonly timeoutMs: number;
  /** Aborts when the time is up: the try counts as failed, and nothing may be delivered any more. */
  readonly signal: AbortSignal;
}
interface Card {
  /** For example `min-fill`. */
  readonly name: string;
  /** The effect on submissions: `drops who fills in “website”`. */
  readonly says: string;
  /** Follows the command that sends a submission without a browser, where that ends differently. */
  readonly withoutBrowser?: string;
}
/** An examination of the doctor. */
interface Check {
  /** The heading of what it finds. */
  readonly name: string;
  /** Resolves with what can be expected. An exception counts as a bug of the check. Nothing to look at: no findings. */
  probe(context: CheckContext): Promise<readonly Finding[]>;
}
interface CheckContext {
  /** `undefined` if it does not load. */
  readonly config: Config | undefined;
  readonly env: Environment;
  /** Sends requests within the time of the check. */
  readonly http: Http;
  readonly now: () => number;
  /** Whether the owner allows to write something and remove it again. */
  readonly writes: boolean;
  /** Aborts when the check takes too long. */
  readonly signal: AbortSignal;
}
/** The owner's class names on the parts of a form, in addition to those that each part has anyway. */
type Classes = Readonly<Partial<Record<'form' | 'field' | 'label' | 'input' | 'select' | 'check' | 'check_input' | 'help' | 'error' | 'button' | 'back' | 'wrapper' | 'affix', string | undefined>>>;
type Client = { readonly address: Address } | UnknownClient;
/** An expected failure while talking to another server. */
declare class ClientError extends Error {
  name: string;
  /** The kind of failure, such as `timed_out`; see `failures`. */
  readonly code: string;
  readonly retryAfterMs: number | undefined;
  readonly isLasting: boolean;
}
interface Command {
  /** A single word. No command of the relay has it. */
  readonly name: string;
  readonly alias?: string;
  /** A few words, for the list of commands. */
  readonly summary: string;
  /** A sentence, for its help. Default: the summary. */
  readonly description?: string;
  /** In their order. */
  readonly arguments?: Properties;
  /** By their names in camel case: `olderThan` is `--older-than`. */
  readonly options?: Properties;
  /** Lines that can be typed as they stand, each with what it is for. */
  readonly examples?: readonly (readonly [line: string, says: string])[];
  /** Resolves with the exit code. Anything that is no number is 0. */
  run?(given: Readonly<Record<string, unknown>>, context: CommandContext): Promise<unknown>;
}
interface CommandContext {
  readonly env: Environment;
  /** The config of a relay that starts here. Fails with its mistakes. */
  config(): Promise<Config>;
  /** A relay as it would start here, which delivers nothing by itself. Closed when the command ends. */
  relay(): Promise<OwnRelay>;
  /** Reads a file. Fails with the reason why it cannot be read. */
  read(path: string): Promise<Buffer>;
  /** Asks in the terminal. Anything but `y` and `yes` is no. */
  ask(question: string, screen?: NodeJS.WriteStream): Promise<boolean>;
  print(text: string): void;
  /** To throw if the command was called rightly and fails: the text goes to stderr, and the exit code is 1. */
  fail(says: string): Error;
  /** To throw if it was called wrongly: the exit code is 2. */
  misuse(says: string): Error;
}
type Common = Parsed<typeof commonOutputKeys>;
declare const commonFieldKeys: {
  name: Property<string>;
  required: Property<boolean>;
  label: Property<LocalizedText | undefined>;
  help: Property<LocalizedText | undefined>;
  placeholder: Property<LocalizedText | undefined>;
  autocomplete: Property<string | undefined>;
  value: Property<readonly string[] | undefined>;
  visible_when: Property<Condition | undefined>;
  required_when: Property<Condition | undefined>;
};
/** The keys that every output type has (SPEC: Output, common keys). */
declare const commonOutputKeys: {
  on_error: Property<"continue" | "fail">;
  mapping: Property<"*" | ReadonlyMap<string, string> | undefined>;
  static: Property<ReadonlyMap<string, Template> | undefined>;
  retries: Property<number>;
  timeout: Property<number>;
};
type Condition = Test | { readonly all: readonly Condition[] } | { readonly any: readonly Condition[] } | { readonly not: Condition };
/** As plug-ins read it. The core has more of it (core_plugin.ts). */
interface Config {
  readonly forms: ReadonlyMap<string, Form>;
}
declare const controlAttributes: (field: Pick<Field, 'name'> & Partial<Pick<Field, 'autocomplete'>>, state: ControlState, kind?: 'input' | 'select' | 'check_input') => {
  id: string;
  class: string | undefined;
  name: string;
  required: boolean;
  autofocus: boolean;
  autocomplete: string | undefined;
  'aria-invalid': string | false;
  'aria-describedby': string | undefined;
};
interface ControlState {
  readonly locale: Locale;
  /** The id of the control, or of the first one in a group. Unique on the page. */
  readonly id: string;
  readonly values: readonly string[];
  readonly required: boolean;
  /** For `aria-describedby`: the ids of the help and the error, if any. */
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
  readonly autofocus: boolean;
  readonly classes: Classes;
}
/** Texts under keys, for places, `once` and idempotency keys. A writer names the version that it read, so that no change gets lost. Keys are made of `a-z`, digits, `_`, `-` and `=`, with slashes between them. Rejects with a `ClientError`. */
interface Counts {
  read(key: string, timeoutMs: number): Promise<Versioned>;
  /** The version that this process saw last, at no cost: good enough to try a write over it. */
  recall?(key: string): Versioned | undefined;
  /** Replaces what was read. Resolves with `true` once the text is stored. `false`: another version is there, or the outcome is unknown; reading again tells. */
  write(key: string, text: string, read: Versioned, timeoutMs: number): Promise<boolean>;
  /** Removes a text that no other process uses. */
  remove(key: string, timeoutMs: number): Promise<void>;
}
/** A day in HTML's format, such as 2030-12-31. */
type Day = { readonly day: string };
/** Why it is not retried until its owner asks for it. */
type DeadLetterReason = /** Retrying would not help. */
'refused' |
/** The retry period is over. */
'expired' |
/** Damaged, altered, or encrypted with another KEEP_SECRET. */
'unreadable';
/** A number as it was typed, with all its places: `12.50`. */
type Decimal = { readonly decimal: string };
/** The keys of a field in the config, for a type with the keys `K`. */
type Declared<K extends Properties> = Parsed<typeof commonFieldKeys> & Parsed<K>;
/** A delivery as plain data: with it and the config, any process can deliver at any time. */
interface Delivery {
  /** Names the delivery, the same for every try: `<request id>-<place of the output>`. */
  readonly id: string;
  readonly requestId: string;
  readonly formId: string;
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
  /** All that outputs may have. */
  readonly values: Values;
  /** The result of `mapping` and `static`. */
  readonly payload: Payload;
  readonly files: Files;
}
/** The result of one output, for the log and for features that act after the delivery. */
interface DeliveryResult {
  /** The index in the form's `outputs`. */
  readonly output: number;
  readonly type: string;
  readonly outcome: string;
  /** Why it failed, for the owner. Absent after a success. */
  readonly reason?: string;
  /** The failure, for features that decide whether to retry. */
  readonly error?: ClientError | 'internal_error' | 'unregistered_type';
}
/** How a form derives the values of a field. */
interface Derivation {
  /** The fields that it reads. The relay reports those that lead back to the field. */
  readonly reads: readonly string[];
  /** The key of the field that names them, for such a report. */
  readonly key: string;
  /** `read`: the values of a field as they are meant, without empty ones; `undefined` while it is hidden. A repeated field has its JSON. An empty text is a result that cannot be worked out: outputs leave it out, `words` says so to people, and the log has `result_left_out`. */
  values(read: (field: string) => readonly string[] | undefined): readonly string[];
}
/** A place in a config, and where to report what is wrong with it. */
declare class Diagnostics {
  readonly path: Path;
  /** Another place in the config, from its top. */
  fromTop(...path: Path): Diagnostics;
  in(...steps: Path): Diagnostics;
  /** Reports a mistake; returns `undefined`, as a schema does that cannot read its value. */
  error(message: string, about?: About): undefined;
  /** Reports what works and is probably not meant. The config loads all the same. */
  warning(message: string, about?: About): undefined;
  /** Reports a value of another kind: `found "5"; expected a list`. */
  found(value: unknown, instead: string, about?: About): undefined;
  /** Notes environment variables without which this fails: the log and `/readyz` name those that are unset. */
  needsEnv(...names: readonly string[]): void;
  /** Notes environment variables that this reads, and that may be unset. */
  usesEnv(...names: readonly string[]): void;
}
type Environment = Readonly<Record<string, string | undefined>>;
interface FailureReason {
  /** A `ClientErrorCode`, or one of the relay's own. */
  readonly code: string;
  /** For the owner: as in the log, without values and secrets. */
  readonly words: string;
}
/** Optional behaviour of a form. `K`: its keys; `N`: its name. Methods, so that a list can hold features of any keys. */
interface Feature<K extends FeatureKeys = FeatureKeys, N extends string = string> {
  readonly name: N;
  /** Features that come before it, if they are loaded. This feature can read what they provide, and runs inside them. */
  readonly after?: readonly string[];
  /** Features that come after it, if they are loaded. */
  readonly before?: readonly string[];
  /** Features whose `provides` it reads: the relay loads them with it, and they come before it. */
  readonly reads?: readonly string[];
  readonly keys?: K;
  /** Checks its top-level keys, once for each config and before any form. All forms get the result as `shared`. */
  configureTop?(top: Partial<ParsedAt<K, 'top'>>, at: Diagnostics, context: TopContext): MaybePromise<Of<Shared, N> | undefined>;
  /** Compiles the feature for a form, once. `undefined`: the form does not use it. In forms with mistakes, unreadable values are `undefined`. */
  configure(context: FormConfig<K, N>, at: Diagnostics): Hooks<N> | undefined;
  /** Addresses of the API: `/api/v1/<name>/{form}`. */
  readonly routes?: readonly Route[];
}
/** A feature's own keys: in a form, in the form's `spam`, at the top of the config, and in `spam` at both places. */
interface FeatureKeys {
  readonly form?: Properties;
  readonly spam?: Properties;
  readonly top?: Properties;
  readonly sharedSpam?: Properties;
}
interface Field extends Omit<Parsed<typeof commonFieldKeys>, 'label'>, Pick<FieldType, 'type' | 'script' | 'isReentered'> {
  readonly label?: LocalizedText | Message | undefined;
  readonly options?: readonly Option[] | undefined;
  readonly takesSeveral: boolean;
  /** The one value that stands for a value, sent or stored, in conditions, comparisons and `once`. */
  canonical(value: string): string;
  check(values: readonly string[], submission: Submission): FieldError | undefined;
  readonly store?: ((value: string, submission: Submission) => string) | undefined;
  readonly samples?: ((now: number) => readonly (readonly string[])[] | undefined) | undefined;
  /** The stored values for people, without empty ones; `label`: the text next to them. */
  words(values: readonly string[], locale: Locale, label?: string): readonly string[];
  /** The stored values in JSON, such as a number or a flag; `undefined`: there is none. */
  json(values: readonly string[]): unknown;
  /** The fields that are sent in its place. */
  readonly inputs?: Inputs | undefined;
  /** No link fills it in. */
  readonly isClosedToLinks?: true | undefined;
  readonly min_length?: number | undefined;
  readonly max_length?: number | undefined;
  control(state: ControlState): Html;
  /** The same field with other keys: as an input of another, or with other options. */
  withKeys(keys: Partial<Omit<Field, 'type'>> & Readonly<Record<string, unknown>>): Field;
}
/** An entry in the palette of a builder of forms. */
interface FieldCard {
  readonly title: string;
  readonly purpose: 'Text' | 'Choice' | 'Date and number' | 'Files' | 'Layout';
  /** Other words by which people look for it. */
  readonly words: string;
  /** The keys of a new field besides `type`. Default: a `name` like the type. */
  readonly sample?: Readonly<Record<string, unknown>>;
  /** Keys of all fields that it refuses or does not need: the builder does not offer them. */
  readonly idleKeys?: readonly string[];
}
/** A field that failed validation, and how its visitor can correct it. */
interface FieldError extends Message {
  readonly field: string;
  /** The index of the wrong one among the non-empty values; `undefined` if the error is about all or none. */
  readonly at?: number | undefined;
}
/** Keys of all fields or of some types, and what they do. */
interface FieldExtension<K extends Properties = Properties> {
  readonly name: string;
  readonly keys: K;
  /** Keys that each option of a field has, for types with a list of `options`: written as `{value: …, label: …}`. */
  readonly optionKeys?: Properties;
  /** The field types that have the keys. Default: all. */
  readonly types?: readonly string[];
  /** Other kinds for keys that the type has, such as `options` whose choices have a key more. */
  changeKeys?(keys: Properties): Properties;
  /** Compiles the keys of a field, once. `undefined`: the field does not use them. */
  configure(field: Field & Partial<Parsed<K>>, at: Diagnostics): FieldHooks | undefined;
}
/** Members that replace the field's own, but for `check`, which runs after the type's checks. */
interface FieldHooks extends Partial<Pick<Field, 'canonical' | 'store' | 'words' | 'samples' | 'control'>> {
  /** The first mistake in non-empty values that passed the checks of the field's type. */
  readonly check?: (values: readonly string[], submission: Submission) => Message | undefined;
}
/** Functions are methods for the same reason. */
interface FieldType<K extends Properties = Properties> {
  readonly type: string;
  readonly summary: string;
  /** Names of other products for it, in lower case. Diagnostics suggest this name instead. */
  readonly aliases?: readonly string[];
  /** Values for dry runs and tests, the likeliest first. Samples that the field refuses are skipped. Default: words for its name. */
  samples?(field: Declared<K>, now: number): readonly (readonly string[])[] | undefined;
  /** How builders of forms offer it. */
  readonly card?: FieldCard;
  /** The keys beyond the common ones; they may replace some of those. */
  readonly keys: K;
  /** Mistakes between keys; those that are wrong are `undefined`. */
  problems?(field: Partial<Declared<K>>, at: Diagnostics): void;
  /** Default: `labelled`. */
  readonly layout?: Layout;
  /** The code or the message for a required field that is empty. Default: `missing`. */
  readonly missing?: string | MessageFor<Declared<K>>;
  /** A sentence under the label that says what is expected, besides the owner's `help`. */
  hint?(field: Declared<K>): Message | readonly Message[] | undefined;
  /** All accepted values, if the keys list them. */
  offered?(field: Declared<K>): readonly string[];
  takesSeveral?(field: Declared<K>): boolean;
  /** The value that is meant by one that was typed, such as `3` by `３`; the empty text if it is no answer. */
  normalizeValue?(field: Declared<K>, value: string): string;
  /** How its values compare, as the form's script knows, such as `number`. Default: as text, or as the relay normalizes them. */
  readonly comparedAs?: Kind;
  /** The one value that stands for a value, sent or stored, where values are compared. Default: by `comparedAs`. */
  canonical?(field: Declared<K>, value: string): string;
  /** The output's value for a valid value, if that differs. */
  store?(field: Declared<K>, value: string, submission: Submission): string;
  /** Stored values for people, such as the labels of options; `label`: the text next to them. Default: as they are stored. */
  words?(field: Declared<K>, values: readonly string[], locale: Locale, label?: string): readonly string[];
  /** Whether the words are items of a list or lines of a block, whatever they are. Default: several are a list. */
  readonly shape?: 'list' | 'block';
  /** Stored values in JSON; `undefined`: there is none. Default: a text, or a list of texts. */
  json?(field: Declared<K>, values: readonly string[]): unknown;
  /** Makes the field one that visitors do not fill in: the relay derives its values, such as a total, from those of other fields. Called once for each form, whose fields it gets. Conditions and checks see the result; what was sent under its name is ignored. */
  derive?(field: Declared<K>, fields: readonly Field[], at: Diagnostics): Derivation | undefined;
  /** For a field of files: the accepted ones, or the mistake in one of them. The relay makes their names safe and distinct. */
  takeFiles?(field: Declared<K>, sent: readonly SentFile[]): TakenFiles;
  /** Fields that come right behind it in the form, such as the drawing of a signature, under names that begin with its own and a dot. */
  further?(field: Declared<K>): readonly FurtherField[];
  /** Only the visitor fills it in, again each time: no link, and nothing that a browser keeps. */
  readonly isReentered?: true;
  /** A script that stands in forms which the relay's own script does not send. */
  readonly script?: Html;
  /** The script that forms load for it, of `Plugin.scripts`. */
  readonly part?: string;
  /** The control without its label, help and error; for a group, all its controls. */
  control(field: Declared<K>, state: ControlState): Html;
}
/** How archives store their files, such as encrypted. */
interface FileEncoding {
  /** The path of a file in the archive, which its visitor named. */
  path(path: string): string;
  encode(bytes: Uint8Array): Promise<Uint8Array>;
}
/** Files by field, in the order sent. Kept apart from the values, which are text. */
type Files<F = UploadedFile> = ReadonlyMap<string, readonly F[]>;
/** A value and its label as the visitor read them: the words of an option, `✓` for a ticked box. */
interface FilledIn {
  /** The name of the field. */
  readonly name?: string;
  readonly label: string;
  readonly values: readonly string[];
  /** Default: as the values are, on the label's line or below. */
  readonly shape?: FieldType['shape'];
}
/** Never holds a secret or a rendered credential. */
interface Finding {
  readonly level: 'ok' | 'warning' | 'failure';
  /** For example a server or a variable. Default: the name of the check. */
  readonly subject?: string;
  /** The first line is the finding; others explain it. */
  readonly says: string;
  /** The owner's remedy. */
  readonly remedy?: string;
}
/** A form as plug-ins read it: checked and compiled when the config loads, and never changed. The core has more of it (core_plugin.ts). */
interface Form {
  readonly id: string;
  readonly title: LocalizedText | undefined;
  readonly fields: readonly Field[];
  readonly notes: readonly Note[];
  readonly outputs: readonly FormOutput[];
  /** The language of an answer. `undefined`: the form's first one. */
  readonly locale: (request: RelayRequest | undefined) => Locale;
  /** The objects that features provide in it. */
  readonly provided: Registered<Provided>;
}
interface FormConfig<K extends FeatureKeys = FeatureKeys, N extends string = string> {
  readonly formId: string;
  readonly form: Partial<ParsedAt<K, 'form'>>;
  readonly spam: Partial<ParsedAt<K, 'spam'> & ParsedAt<K, 'sharedSpam'>>;
  readonly top: Partial<ParsedAt<K, 'top'>>;
  /** The result of `configureTop`. */
  readonly shared: Of<Shared, N> | undefined;
  readonly fields: readonly Field[];
  /** The types of its outputs. */
  readonly outputTypes: readonly string[];
  /** When the config is loaded, in milliseconds since the epoch: for warnings about times that are over. */
  readonly now: number;
  readonly notes: Form['notes'];
  /** Where a field is in the form, as the config has it. */
  pathOf(field: Pick<Field, 'name'>): Path;
  /** The objects that the features before it provide. */
  readonly provided: Registered<Provided>;
  /** The messages that plug-ins bring in a language (BCP 47), without those of others; in English, with the core's. */
  messagesIn(language: string): Messages;
}
interface FormCounts {
  readonly due: number;
  /** Entries that a feature holds, and that are not late: kept at the last moment of all. Default: they count as due. */
  readonly held?: number;
  readonly deadLetters: number;
  /** When the oldest was kept, if the store knows. */
  readonly oldestKeptAt: number | undefined;
}
/** Markup that a feature adds to a form, by its place. */
interface FormMarkup {
  /** Above the fields. */
  readonly before?: HtmlValue;
  /** Below the fields: hidden inputs or a widget. */
  readonly inputs?: HtmlValue;
  /** Below the button, which stays the one that the Enter key presses. */
  readonly after?: HtmlValue;
  /** The script that the form loads for it, of `Plugin.scripts`. */
  readonly part?: string;
  /** Additions to the Content-Security-Policy of the relay's pages, by directive. */
  readonly sources?: PolicySources;
  /** The values in it are only for its visitor: browsers store no page with it, and tell no other site its address. */
  readonly isUnstored?: true;
}
/** An output of a form as plug-ins read it. */
interface FormOutput extends Common {
  readonly type: string;
  /** The destination for its owner, without credentials; `undefined` for an unregistered type. */
  readonly target: string | undefined;
  readonly timeoutMs: number;
}
interface FormView {
  readonly form: Pick<Form, 'id' | 'notes' | 'provided'>;
  readonly locale: Locale;
  /** The class names of the site on parts of the form, as `classes` of the config has them. */
  readonly classes?: Classes;
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  readonly fields: readonly Field[];
  /** The part of the form's addresses before `/api/v1`; empty on the relay's own origin. */
  readonly base: string;
  readonly values: Values;
  /** The submitted values, if the form is rendered again. */
  readonly sent: Values | undefined;
  readonly outcome?: Outcome | undefined;
  /** `undefined` where it is printed. */
  readonly request?: RelayRequest | undefined;
  /** Milliseconds since the epoch. `undefined`: the form is printed into a static page. */
  readonly now: number | undefined;
  readonly services: Services | undefined;
}
/** A field that comes with another one, shown under the same condition. No link fills it in. */
interface FurtherField {
  readonly name: string;
  readonly type: FieldType;
  /** `{field}` in its words is the label of the other one. */
  readonly label: Message;
}
/** The rest of a pipeline. Returns how the submission ends; never rejects. */
type Handler = (submission: Submission) => MaybePromise<Outcome>;
type Held = 'deliveries' | 'counts';
/** Submissions that wait in the store of `keep` until a feature releases them. The entries are encrypted and listed there as failed deliveries are. Methods reject if the store fails. */
interface HeldSubmissions {
  /** Stores the deliveries of a submission in place of `next`. Resolves with their number once they are durable; 0: no output accepts it. After `until`, they wait for their owner. */
  hold(submission: Submission, how: Hold): Promise<number>;
  /** Has them delivered, as with `keep: always`. Resolves with their number; 0: nothing is held under this key any more. */
  release(key: string): Promise<number>;
  /** Removes them. Features take back what the submission took (`withdraw` of what they provide).  @param takesBack Whether they do, asked once the submissions are removed. Default: yes. */
  drop(key: string, takesBack?: () => MaybePromise<boolean>): Promise<number>;
}
interface Hold {
  /** Begins with the name of the feature. */
  readonly key: string;
  /** In milliseconds since the epoch. */
  readonly until: number;
  /** For the owner: `the submission waits for a payment`. */
  readonly why: string;
}
interface Hooks<N extends string = string> {
  /** Inputs that only this feature reads. Reserved inputs are stripped before validation and mapping, and no field or other feature may use their names. */
  readonly reserves?: readonly {
    readonly name: string;
    /** The key of the form that chooses the name, or could. Empty for a fixed name, to which a field has to give way. */
    readonly key: readonly (string | number)[];
    /** For example `the honeypot`, in mistakes about the name. Default: the feature's name. */
    readonly what?: string;
    /** A browser's value, for `relay explain`. Default: the value in the form's markup. */
    readonly sample?: string;
  }[];
  /** Media types that the form accepts in addition to urlencoded bodies. */
  readonly bodies?: readonly BodyParser[];
  /** Before the body is parsed: origins, rate limits, keys. */
  readonly onRequest?: Middleware;
  /** After the body is read and before validation. An outcome that it returns without calling `next` ends the submission. */
  readonly beforeValidation?: Middleware;
  /** The mistake in a field, filled in or not, given all that was sent and the fields that are shown. Called if nothing else is wrong with it. */
  readonly check?: (field: Field, sent: Values, shown: Form['fields'], by: Submission) => Message | undefined;
  /** After validation: acquires before `next` and commits or releases after it; mails visitors. `next` delivers. */
  readonly afterValidation?: Middleware;
  /** Around the delivery, inside every `afterValidation`: queues failed deliveries, prepares what outputs send. */
  readonly aroundDelivery?: Middleware;
  /** Changes the form before it is rendered: prefilled values, options that are full; or says why it cannot be shown. */
  readonly view?: (view: FormView) => MaybePromise<FormView | Outcome>;
  /** Markup inside the form. */
  readonly markup?: (view: FormView) => FormMarkup;
  /** The studio's cards about it in this form. */
  readonly cards?: readonly Card[];
  /** Closes what it opened for the form, after the last submission of its config. */
  readonly close?: () => MaybePromise<void>;
  /** For features and outputs that look it up by this feature's name. */
  readonly provides?: Of<Provided, N>;
}
/** Markup that is safe to send. Only the functions in this file create it, and all of them escape. */
declare class Html {
  #private;
  toString(): string;
  /** A template tag: literal parts are markup; values are escaped unless they are `Html`. */
  static tag(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html;
}
type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];
interface Http {
  /** Sends a request once, following redirects that repeat it. Rejects, with what tells the relay whether to try again, unless the server took it. */
  send(request: PlainRequest): Promise<PlainAnswer>;
}
type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** An undeclared field has no more than a name. */
type InputField = Pick<Field, 'name' | 'type'> & Partial<Pick<Field, 'label' | 'autocomplete' | 'value'>> & { readonly isUndeclared?: true };
/** The inputs of a field, under names below its own, which no other field may have: `home.city`, `guests.2.name`. The field's value is JSON made of theirs. */
interface Inputs {
  readonly shape: 'map' | 'list';
  /** Every one that there may be. */
  readonly all: readonly Field[];
  /** The inputs in the form, given what was sent. */
  shown(values: Values): readonly Field[];
  /** The inputs to validate, given what was sent. */
  validated(values: Values): readonly Field[];
  problem?(sent: Values): Message | undefined;
  /** The field's value; `undefined` if nothing is filled in. */
  gather(values: Values): object | undefined;
  words(value: object, locale: Locale): readonly string[];
}
/** A schema for editors and the reference: JSON Schema, draft 7. */
interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: Scalar;
  readonly enum?: readonly Scalar[];
  readonly default?: Scalar;
  readonly examples?: readonly Scalar[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly pattern?: string;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
  readonly not?: JsonSchema;
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
  readonly [keyword: string]: unknown;
}
interface KeepOptions {
  readonly isMine: boolean;
  readonly dueAt: number;
  readonly timeoutMs: number;
}
/** How the values of a field compare. `relay`: as the field itself says, so that the script has to ask the relay. */
type Kind = 'text' | 'number' | 'date' | 'time' | 'datetime' | 'email' | 'country' | 'relay';
declare const kit: {
  /** The keys of a config that a plug-in adds: a kind, in `required`, `optional` or `withDefault`. */
  key: {
    /** Text. `read(kit.key.text(), 'a')` is `'a'`. */
    text: typeof text;
    /** Text with `{{ … }}`, rendered for each submission. With `{ submitted: false }`, nothing that visitors write may stand in it, and it is not empty: a room, a recipient. `read(kit.key.template(), 'Hello').render({})` is `'Hello'`. */
    template: ({ submitted }?: { readonly submitted?: boolean }) => Schema<Template>;
    /** A number. `read(kit.key.number({ least: 0 }), '1.5')` is `1.5`. */
    number: ({ least, most, whole }?: { least?: number | undefined; most?: number | undefined; whole?: boolean | undefined }) => Schema<number>;
    /** A whole number. `read(kit.key.whole({ most: 9 }), '3')` is `3`. */
    whole: (limits?: { readonly least?: number; readonly most?: number }) => Schema<number>;
    /** `true` or `false`. `read(kit.key.boolean(), 'true')` is `true`. */
    boolean: () => Schema<boolean>;
    /** A duration, in milliseconds. `read(kit.key.duration(), '1m30s')` is `90_000`. */
    duration: ({ leastMs, mostMs, hasDays }?: { hasDays?: boolean | undefined; leastMs?: number | undefined; mostMs?: number | undefined }) => Schema<number>;
    /** A size, in bytes. `read(kit.key.size(), '2KB')` is `2_048`. */
    size: ({ leastBytes }?: { leastBytes?: number | undefined }) => Schema<number>;
    /** An absolute URL of any scheme. `read(kit.key.url(), 'ldaps://example.com').protocol` is `'ldaps:'`. */
    url: typeof url;
    /** A URL of the web, without credentials. `read(kit.key.httpUrl(), 'https://example.com').host` is `'example.com'`. */
    httpUrl: () => Schema<URL>;
    /** An e-mail address. `read(kit.key.address(), 'ada@example.org')` is `'ada@example.org'`. */
    address: () => Schema<string>;
    /** A word from a list. `read(kit.key.oneOf(['day', 'night']), 'day')` is `'day'`. */
    oneOf: <const T extends string>(options: readonly T[]) => Schema<T>;
    /** A list of a kind. `read(kit.key.list(kit.key.text(), { orOne: true }), 'a')` is `['a']`. */
    list: <T>(item: Schema<T>, { least, orOne }?: { least?: number | undefined; orOne?: boolean | undefined }) => Schema<readonly T[]>;
    /** A map with keys of the owner's choice. `read(kit.key.map(kit.key.text()), { a: 'b' }).get('a')` is `'b'`. */
    map: <T>(item: Schema<T>, keyProblem?: (key: string, earlier: ReadonlyMap<string, T>) => string | undefined, example?: string) => Schema<ReadonlyMap<string, T>>;
    /** A map with keys of its own. `read(kit.key.block({ a: kit.key.optional('A word.', kit.key.text()) }), { a: 'b' }).a` is `'b'`. */
    block: <K extends Properties>(keys: K, example?: string, check?: (read: Partial<Parsed<K>>, at: Diagnostics) => void) => Schema<Parsed<K>>;
    /** The choices of a field, which may have keys of your own. `read(kit.key.options(), ['a'])` is `[{ value: 'a', label: 'a' }]`. */
    options: <K extends Properties>(keys?: K) => Schema<readonly (Option & Partial<Parsed<K>>)[]>;
    /** A short form, or a block in its place. `read(kit.key.either(kit.key.boolean(), kit.key.block({})), 'true')` is `true`. */
    either: <A, B>(short: Schema<A>, block: Schema<B>) => Schema<A | B>;
    /** A secret, which a config may only name. `read(kit.key.secret(), '{{ env "KEY" }}').render({ env: () => 'x' })` is `'x'`. */
    secret: (variable?: string) => Schema<Template>;
    /** A key that has to be there. `kit.key.required('The room.', kit.key.text()).doc` is `'The room.'`. */
    required: <T>(doc: string, schema: Schema<T>, more?: Pick<Property<unknown>, 'aliases'>) => Property<T>;
    /** A key that may be absent. `kit.key.optional('The room.', kit.key.text()).isRequired` is `undefined`. */
    optional: <T>(doc: string, schema: Schema<T>, more?: Pick<Property<unknown>, 'aliases'>) => Property<T | undefined>;
    /** A key with a default, as written in a config. `kit.key.withDefault('10s', 'How long.', kit.key.duration()).fallback` is `'10s'`. */
    withDefault: <T>(fallback: string | number | boolean, doc: string, schema: Schema<T>, more?: Pick<Property<unknown>, 'aliases'>) => Property<T>;
  };
  /** A type of outputs. `kit.output({ type: 'crm', summary: 'Adds a lead.', keys: {}, open: () => ({ target: 'the CRM', send: async () => {} }) }).type` is `'crm'`. */
  output: <K extends Properties>(definition: PluginOutput<K>) => OutputType;
  /** A type of fields. `kit.field({ type: 'plate', summary: 'A number plate.', keys: {}, control: (field, state) => kit.html.input('text', field, state) }).type` is `'plate'`. */
  field: <K extends Properties>(definition: PluginField<K>) => FieldType;
  /** A signal of the spam score. `kit.signal({ name: 'crm', summary: 'Unknown to the CRM.', weight: 3, score: () => undefined }).weight` is `3`. */
  signal: typeof signal;
  /** Anything else that a form can have. `kit.feature({ name: 'quiet', configure: () => undefined }).name` is `'quiet'`. */
  feature: <K extends FeatureKeys, const N extends string>(definition: Feature<K, N>) => Feature;
  /** A kind of store. `kit.store({ schemes: ['redis'], open: () => ({}) }).schemes` is `['redis']`. */
  store: <T extends NonNullable<Plugin['stores']>[number]>(definition: T) => T;
  /** A command of `relay`. `kit.command({ name: 'leads', summary: 'list leads' }).name` is `'leads'`. */
  command: <const A extends Properties = Record<never, never>, const O extends Properties = Record<never, never>>(definition: Omit<Command, 'arguments' | 'options' | 'run'> & {
  readonly arguments?: A;
  readonly options?: O;
  run?(given: Parsed<A> & Parsed<O>, context: CommandContext): Promise<unknown>;
}) => Command;
  /** A check of `relay doctor`. `kit.check({ name: 'crm', probe: async () => [] }).name` is `'crm'`. */
  check: (definition: Check) => Check;
  extension: {
    /** Keys of all fields, or of some types. `kit.extension.field({ name: 'unit', keys: {}, configure: () => undefined }).name` is `'unit'`. */
    field: <K extends Properties>(definition: FieldExtension<K>) => FieldExtension;
    /** Keys of all outputs, or of some types. `kit.extension.output({ name: 'quiet', keys: {}, configure: () => undefined }).name` is `'quiet'`. */
    output: <K extends Properties>(definition: OutputExtension<K>) => OutputExtension;
  };
  /** A failure after which another try may help; `throw` it. The words are logged, and hold no submitted value. `kit.retry('it is busy', { afterMs: 5_000 }).retryAfterMs` is `5_000`. */
  retry: (why: string, { afterMs, ...more }?: AuthorsFailure & { readonly afterMs?: number }) => ClientError;
  /** A failure that another try would only repeat; `throw` it. `kit.fail('there is no such list').message` is `'there is no such list'`. */
  fail: (why: string, more?: AuthorsFailure) => ClientError;
  /** Ends a submission with a message to its visitor, or with what is wrong with some fields. `kit.refused(422, 'banned_word').message.code` is `'banned_word'`, and `kit.refused(422, [kit.problem('cv', 'infected')]).errors[0].field` is `'cv'`. */
  refused: (status: number, why: string | readonly FieldError[], params?: Params) => Outcome;
  /** Answers a bot as after a success, and delivers nothing; the log has why. `kit.dropped('my_check', 'a banned word').status` is `200`. */
  dropped: (by: string, why: string, code?: string) => Outcome;
  /** Ends a submission with an answer of your own. `kit.answered('teapot', { status: 418, headers: {}, body: '' }).status` is `418`. */
  answered: (kind: string, answer: RelayResponse) => Outcome;
  /** A hook that only decides. `kit.guard(() => kit.refused(429, 'later'))(() => 'next')({}).status` is `429`. */
  guard: (check: (submission: Submission) => MaybePromise<Outcome | undefined>) => Middleware;
  /** A hook that only looks at the outcome. `kit.onOutcome((outcome) => outcome)(() => 'delivered')({})` is `'delivered'`. */
  onOutcome: (look: (outcome: Outcome, submission: Submission) => MaybePromise<Outcome>) => Middleware;
  /** Markup. The only way to make some, which escapes what you put in. */
  html: {
    /** A template tag. `` String(kit.html.tag`<b>${'<i>'}</b>`) `` is `'<b>&lt;i&gt;</b>'`. */
    tag: typeof Html.tag;
    /** An owner's text, whose links become links. `String(kit.html.text('[Terms](/terms)'))` is `'<a href="/terms">Terms</a>'`. */
    text: (text: string) => Html;
    /** An input of a type, bound to its label, help and error. `String(kit.html.input('color', { name: 'hue' }, state))` is `'<input type="color" id="f--hue" name="hue">'`. */
    input: (type: string, field: Typed, state: ControlState, more?: MoreAttributes) => Html;
    /** Radio buttons, or checkboxes. `String(kit.html.choices('radio', 'size', [{ value: 's', label: 'Small' }], state)).includes('value="s"')` is `true`. */
    choices: (type: 'radio' | 'checkbox', name: string, options: readonly { readonly value: string; readonly label: HtmlValue; readonly disabled?: true }[], state: ControlState) => Html;
    /** The attributes that bind any other control in the same way. `` String(kit.html.tag`<meter${kit.html.attributes({ name: 'hue' }, state)}>`) `` is `'<meter id="f--hue" name="hue">'`. */
    attributes: (field: Parameters<typeof controlAttributes>[0], state: ControlState) => Html;
  };
  /** A text in the visitor's language, by the code under `messages`. `kit.message('too_late', { hour: 9 })` is `{ code: 'too_late', params: { hour: 9 } }`. */
  message: (code: string, params?: Params) => Message;
  /** The mistake in a field; `at` is the index of one of several values. `kit.problem('cv', 'infected')` is `{ field: 'cv', code: 'infected' }`. */
  problem: (field: string, code: string, params?: Params, at?: number) => FieldError;
  values: {
    /** The first value of a field that is not empty, or the empty text. `kit.values.first(new Map([['name', ['', 'Ada']]]), 'name')` is `'Ada'`. */
    first: (values: Values, field: string) => string;
    /** The values of a field that are not empty. `kit.values.all(new Map([['name', ['', 'Ada']]]), 'name')` is `['Ada']`. */
    all: (values: Values, field: string) => readonly string[];
    /** A payload as lines for people. `kit.values.lines([['name', ['Ada', 'Grace']]])` is `['name: Ada, Grace']`. */
    lines: (payload: Payload) => readonly string[];
    /** A number of bytes for people. `kit.values.size(2_048)` is `'2 KB'`. */
    size: (bytes: number) => string;
  };
  address: {
    /** An address as mail servers take it; `undefined` if they would not. `kit.address.parse('ada@example')` is `'ada@example'`. */
    parse: (text: string) => string | undefined;
    /** The domain of an address. `kit.address.domain('ada@Example.org')` is `'example.org'`. */
    domain: (address: string) => string;
    /** Whether two spellings are one address. `kit.address.same('Ada@example.org', 'Ada <ada@example.org>')` is `true`. */
    same: (one: string, other: string) => boolean;
  };
  time: {
    /** A duration for people. `kit.time.inWords(90_000)` is `'90 s'`. */
    inWords: (ms: number) => string;
    /** A moment as a parameter of a message, in the visitor's language. `kit.time.moment(0, 'Europe/Berlin').spell(['en'])` is `'1 January 1970 at 01:00 CET'`. */
    moment: (at: number, timeZone?: string) => { spell: ([language, ...others]: readonly string[]) => string };
    /** Whether a time zone of this name exists. `kit.time.isZone('Europe/Berlin')` is `true`. */
    isZone: (name: string) => boolean;
  };
  /** Encrypts a text that travels through browsers or mails. Only the same secret and use open it; each call has another result. `kit.unseal('a secret', 'invitation', kit.seal('a secret', 'invitation', 'Ada'))` is `'Ada'`. */
  seal: (secret: string, use: string, text: string) => string;
  /** The sealed text; `undefined` if the secret or the use is another. `kit.unseal('a secret', 'invitation', 'forged')` is `undefined`. */
  unseal: (secret: string, use: string, sealed: string) => string | undefined;
  /** Signs a text that anyone may read. `kit.sign('a secret', 'invitation', 'Ada').length` is `43`. */
  sign: (secret: string, use: string, text: string) => string;
  /** Whether a signature is that of the text. `kit.verify('a secret', 'invitation', 'Ada', kit.sign('a secret', 'invitation', 'Ada'))` is `true`. */
  verify: (secret: string, use: string, text: string, signature: string) => boolean;
  /** The version of this interface, which `needs` names. `kit.version` is `'1.0'`. */
  version: string;
  /** Where an output sends requests: its keys `url` and `url_env`, of which one holds the address. */
  destination: {
    /** `Object.keys(kit.destination.keys)` is `['url', 'url_env']`. */
    keys: { url: Property<URL | undefined>; url_env: Property<string | undefined> };
    /** Reports neither or both of them, as `problems` of an output. `typeof kit.destination.check` is `'function'`. */
    check: ({ url, url_env }: Addressed, at: Diagnostics, wanted?: 'url' | 'url_env') => void;
  };
};
type Kit = typeof kit;
/** The label above the control, a fieldset around choices, the label behind a box, no label, or a fieldset around other inputs. */
type Layout = 'labelled' | 'group' | 'radiogroup' | 'box' | 'bare' | 'inputs';
/** An entry that only this process has. Exactly one of its methods ends it; each resolves when that is durable. Rejects with `claim_lost` if another process has it by now; after any other failure the lease stands and can be settled again. */
interface Lease {
  /** The store cannot read the entry, which then holds what could be recovered. */
  readonly kept: Queued;
  readonly isDamaged?: true;
  /** Ends a delivered entry, or one that is to be dropped. */
  done(): Promise<void>;
  /** Reschedules it, with its updated state. */
  reschedule(dueAt: number, kept: Queued): Promise<void>;
  deadLetter(reason: DeadLetterReason, kept: Queued): Promise<void>;
  /** Leaves it as it is for others, after so many milliseconds. Without it, the lease lapses. */
  giveBack?(afterMs: number): Promise<void>;
}
interface LeaseBook<T> {
  /** Renews a lease from now on. */
  hold(lease: T): void;
  /** Ends renewal: others have it when it lapses, unless it is settled. */
  drop(lease: T): void;
  /** The entry with the ends of its lease, which is held: the first end that succeeds counts, and others can follow a failure. */
  lease<E extends Pick<Lease, 'kept' | 'isDamaged'>>(lease: T, entry: E, ends: Pick<Lease, 'done' | 'reschedule' | 'deadLetter'>): E & Lease;
  /** Gives it back, unless it is settled, or is being settled. */
  giveBack(lease: T, afterMs?: number): Promise<void>;
  /** For `leaseMatching`: yields a lease that goes back when the next one is asked for. */
  offer<E extends Lease & { readonly listed: Listed }>(lease: T, given: E): AsyncGenerator<E>;
  /** Gives all of them back. */
  close(): Promise<void>;
}
/** The operations of a store on its leases, such as rows of a table. */
interface LeaseRules<T> {
  /** A lease that is not renewed for this long lapses, in milliseconds. */
  readonly leaseMs: number;
  /** Renews these. Resolves with a list of those that it has renewed; with anything else: all. */
  renew(leases: readonly T[]): Promise<unknown>;
  /** Lets others have it, after so many milliseconds. */
  giveBack(lease: T, afterMs: number): Promise<void>;
}
/** Deliveries that wait. Several processes may share them; a lease excludes all others. All methods reject with a `ClientError` on failure or timeout. */
interface Leases {
  /** A lease that is not renewed for this long lapses, in milliseconds: its process has died. */
  readonly leaseMs: number;
  /** The limits of `list`, `leaseMatching` and `count`, such as what a queue hides, each as a sentence for the owner. */
  readonly notes?: readonly string[];
  /** Resolves when all entries are durable. `isMine`: this process delivers them now, whatever `dueAt` says; returns a lease for each, in the same order. A store without such leases returns none, and has the entries due at once. */
  keep(entries: readonly Queued[], options: KeepOptions): Promise<readonly Lease[]>;
  /** Leases up to `most` due entries. Waits up to `waitMs` if there are none, or until `stop`. `mostBytes` is the limit for their contents together, since they are in memory; the first may be larger. */
  lease(most: number, waitMs: number, mostBytes?: number, stop?: AbortSignal): Promise<readonly Lease[]>;
  /** Counts the entries, as far as the store can without reading all of them. */
  count(): Promise<QueueCounts>;
  /** Reads all entries without leasing them, in no order; omits what queues hide. */
  list(): AsyncIterable<Listed>;
  /** Leases the wanted entries, due or not, for an owner who asks for them. The others stay as they are. An entry not settled before the next is requested may go back as it is. */
  leaseMatching(wanted: (one: Listed) => boolean): AsyncIterable<Lease & { readonly listed: Listed }>;
  /** `true` for the first caller with this key among all processes that share the store; absent if it cannot tell. */
  isFirst?(key: string): Promise<boolean>;
}
type Lengths = Pick<Field, 'min_length' | 'max_length'>;
/** The time in which a config names a plug-in. */
interface Life extends PluginContext {
  readonly forms: ReadonlyMap<string, Form>;
  readonly platform: Platform;
  /** Aborts with a `LifeEnd`: nothing may be begun any more. */
  readonly signal: AbortSignal;
  /** Work to wait for before the process ends. */
  wait(work: Promise<unknown>): void;
}
/** An entry as `list` shows it. */
interface Listed {
  readonly kept: Queued;
  /** `undefined`: it is retried automatically. */
  readonly deadLetter: DeadLetterReason | undefined;
  /** The next try, if the store knows. */
  readonly dueAt?: number | undefined;
}
/** The language in which a visitor is addressed. */
interface Locale {
  /** BCP 47; `undefined` where the config names none, so that markup and headers name none either. */
  readonly language: string | undefined;
  readonly direction?: 'ltr' | 'rtl' | undefined;
  /** The query that keeps the chosen language in addresses, such as `lang=de`. */
  readonly query?: string;
  readonly translate: Translate;
  write(value: Param): string;
  text<T = string>(wording: T | ReadonlyMap<string, T>): T;
}
/** The owner's text for visitors: one for all, or by language (BCP 47); the first is for everybody else. */
type LocalizedText = string | ReadonlyMap<string, string>;
/** Writes one event. Fields never hold a submitted value, a token, a secret or a rendered header. */
type Log = (level: LogLevel, event: string, fields?: Readonly<Record<string, unknown>>) => void;
type LogLevel = 'info' | 'warn' | 'error';
/** A sender or recipient: a bare, valid address (`a@b.example`), or one with a display name. */
type Mailbox = string | { readonly name: string; readonly address: string };
/** The export of a plug-in's module, which may be called more than once, and starts nothing. `options`: the values under `with` in a config, as `Plugin.options` reads them. */
type MakePlugin<O = unknown> = (kit: Kit, options: O) => Plugin;
/** A value or a promise of it. Most submissions wait for outputs only, and a promise costs memory. */
type MaybePromise<T> = T | Promise<T>;
/** A sentence for visitors as data. Plug-ins bring the words of their codes in `Plugin.messages`. */
interface Message {
  readonly code: string;
  readonly params?: Readonly<Record<string, Param>> | undefined;
}
/** A method's type, so that a list can hold field types of any keys. */
type MessageFor<F> = {
  said(field: F): Message;
}['said'];
interface MessageOptions<T> {
  /** The first line. Default: the form's title, or else its id. */
  readonly title?: Template | undefined;
  /** The longest title and label. Default: 250. */
  readonly titleMost?: number;
  /** Whether the service takes what `write` returned. Default: yes. */
  readonly fits?: (written: T) => boolean;
}
type Messages = Readonly<Record<string, Text>>;
/** Wraps the rest of a pipeline, once, when the form is compiled: a submission allocates nothing for it. */
type Middleware = (next: Handler) => Handler;
type MoreAttributes = Readonly<Record<string, string | number | undefined>>;
/** Text before a field, or after the last. */
interface Note {
  /** Unlike that of any field. */
  readonly name: string;
  readonly text: LocalizedText;
  /** The index of the field. */
  readonly before: number;
  readonly visible_when?: Condition | undefined;
}
/** Called for each submission once it is answered: for logs and metrics. */
type Observer = (event: {
  readonly requestId: string;
  /** `undefined` if the config has no such form. */
  readonly formId: string | undefined;
  readonly outcome: Outcome;
  readonly answer: RelayResponse;
  readonly ms: number;
  /** `undefined` if the config has no such form, or there is no config. */
  readonly submission: Submission | undefined;
}) => void;
/** With a type of its own where a plug-in declared it. */
type Of<All, N extends string> = N extends keyof All ? All[N] : unknown;
interface Opened {
  /** The destination for its owner, without credentials: an address, the keys that hold it, or words. */
  readonly target: string | URL | Addressed;
  /** Delivers once. Resolves with a warning for the owner, a text, or with anything else. Rejects with `kit.retry` or `kit.fail`. */
  send(delivery: PluginDelivery, call: PluginCall): Promise<unknown>;
  /** Tests the connection without delivering anything, for `relay doctor`. May reject with `kit.fail`. Default: connects to a web address. */
  probe?(call: PluginProbe): Promise<readonly Finding[]>;
  /** Closes what it opened, after the last delivery of its config. */
  close?(): MaybePromise<void>;
  /** Whether it delivers the files of a field. Default: only their names and sizes. */
  takesFile?(field: string): boolean;
}
/** The tests of a field's values, and their negations. */
declare const opposites: {
  readonly is: 'is_not';
  readonly is_not: 'is';
  readonly filled: 'empty';
  readonly empty: 'filled';
  readonly contains: 'contains_not';
  readonly at_least: 'below';
  readonly at_most: 'above';
  readonly before: 'not_before';
  readonly after: 'not_after';
  readonly matches: 'matches_not';
};
interface Option {
  readonly value: string;
  readonly label: LocalizedText;
  readonly disabled?: true;
}
/** How a submission ends. An outcome has everything that the answer needs; features create their own. */
interface Outcome {
  /** For the log and metrics: `delivered`, `dropped`, `invalid`, … */
  readonly kind: string;
  readonly status: number;
  /** The error for the visitor. Absent: the submission is answered as a success. */
  readonly message?: Message;
  /** Replaces the form's confirmation after a success. */
  readonly says?: LocalizedText | Message | ((locale: Locale) => string);
  /** The form's `confirmation` and `redirect` for this submission. */
  readonly confirmation?: (locale: Locale) => string;
  readonly redirect?: (locale: Locale) => string;
  /** Fragments render the form again with the message, as for a challenge. */
  readonly showsForm?: true;
  /** Set if the form asks for more, and reports no mistake: the title of a page says no "Error". */
  readonly isQuestion?: boolean;
  /** Invalid fields; the form is rendered again with them. */
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The finished answer, in place of the one that follows from all else, but for `headers`. */
  readonly answer?: RelayResponse;
  /** More members of a JSON answer. */
  readonly json?: object;
  /** More markup of a fragment, below the message. */
  readonly html?: HtmlValue;
  /** The reason for the owner's log. Holds no submitted value. */
  readonly why?: string;
  readonly level?: LogLevel;
  /** The check that ended it. */
  readonly by?: string;
  /** The check's finding, for metrics. Default: `kind`. */
  readonly code?: string;
}
interface OutputConfig<K extends Properties = Properties> {
  readonly formId: string;
  readonly type: string;
  /** The output's keys, with the common ones; unreadable values are `undefined`. */
  readonly output: Partial<Parsed<K> & Common>;
  readonly fields: readonly Field[];
  readonly provided: Registered<Provided>;
}
interface OutputContext {
  readonly services: Services;
  readonly form: OutputForm;
}
/** Keys of all outputs or of some types, and what they do. */
interface OutputExtension<K extends Properties = Properties> {
  readonly name: string;
  readonly keys: K;
  /** The output types that have the keys. Default: all. */
  readonly types?: readonly string[];
  /** Compiles the keys of an output, once. `undefined`: the output does not use them. */
  configure(context: OutputConfig<K>, at: Diagnostics): OutputHooks | undefined;
}
/** The form as its outputs describe it: in its first language, whatever the visitor chose. */
interface OutputForm {
  readonly id: string;
  readonly title: string | undefined;
  readonly fields: readonly Field[];
  readonly locale: Locale;
}
interface OutputHooks {
  readonly accepts?: (submission: Submission) => boolean;
  /** Wraps the transport, once; the wrapper sees every try. */
  readonly wrapTransport?: (inner: Transport, context: OutputContext) => Transport;
  /** For archives (`folder` and `s3`): changes each file, documents included, before it is stored. */
  readonly encoding?: FileEncoding;
}
interface OutputType<K extends Properties = Properties> {
  readonly type: string;
  /** The service's name, for people. Default: the type. */
  readonly title?: string;
  readonly summary: string;
  /** The keys of an example, for `relay init --output` and the studio: `{ url_env: 'CHAT_URL' }`. */
  readonly sample?: Readonly<Record<string, unknown>>;
  /** Names of other products for it, in lower case. Diagnostics suggest this name instead. */
  readonly aliases?: readonly string[];
  /** The keys beyond the common ones. */
  readonly keys: K;
  /** Mistakes between keys; those that are wrong are `undefined`. */
  problems?(output: Partial<Parsed<K>>, at: Diagnostics): void;
}
interface OwnRelay {
  readonly services: Services;
}
type Param = string | number | Message | Written | readonly Param[] | undefined;
type Params = Message['params'];
type Parsed<K extends Properties> = { readonly [N in keyof K]: K[N] extends Property<infer T> ? T : never; };
type ParsedAt<K, P extends keyof FeatureKeys> = Parsed<K extends Record<P, infer Own extends Properties> ? Own : Properties>;
interface ParsedBody {
  readonly values: Values;
  readonly files?: Files<SentFile>;
}
/** The path of a value in a config: keys of maps, and positions in lists from 0. */
type Path = readonly (string | number)[];
/** The data that an output sends: each key once, with its values in the order submitted; keys sorted by code point. */
type Payload = readonly (readonly [key: string, values: readonly string[]])[];
interface PlainAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The first 64 KB. */
  readonly body: string;
  /** The body, if it is JSON. */
  readonly json: unknown;
  /** A value in `json`, such as `at('error.code')`; `undefined` if there is none. */
  at(path: string): unknown;
}
interface PlainRequest {
  /** Default: `POST`. */
  readonly method?: HttpMethod;
  /** An address, or the keys `url` and `url_env` of an output. */
  readonly url: URL | string | Addressed;
  /** Added to the path of `url`: `v1/messages`. */
  readonly path?: string;
  /** Added to the query of `url`. */
  readonly query?: Readonly<Record<string, string>>;
  /** Not sent to another origin that the server redirects to. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The body: a value to write as JSON, the values of a form, or a text. */
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** The statuses that mean success. Default: all below 300, 302 and 303. */
  readonly accepts?: (status: number) => boolean;
  /** Reads an answer of any status, also one that fails. */
  readonly judge?: (answer: PlainAnswer) => Verdict;
  /** Less than the time that is left. */
  readonly timeoutMs?: number;
}
type Platform = 'node' | 'lambda' | 'workers';
interface Plugin {
  /** Unique in a relay. Messages about clashes name it. */
  readonly name: string;
  /** A sentence for lists: what it is for. Default: that of its first output or field. */
  readonly summary?: string;
  /** The versions of the interface that it works with, such as `^1.2`: 1.2 and later ones below 2. Default: any. */
  readonly needs?: string;
  /** The keys of `with` in a config. Templates are rendered when the config loads. */
  readonly options?: Properties;
  readonly fields?: readonly FieldType[];
  readonly outputs?: readonly OutputType[];
  /** Earlier features wrap later ones that use the same hook. */
  readonly features?: readonly Feature[];
  /** Signals of the spam score, each a key of `spam.signals`. */
  readonly signals?: readonly SignalType[];
  /** Keys that all fields have. */
  readonly fieldExtensions?: readonly FieldExtension[];
  /** Keys that all outputs have. */
  readonly outputExtensions?: readonly OutputExtension[];
  /** Texts of message codes by language, its own and those of others: `{en: {…}, de: {…}}`. */
  readonly messages?: Readonly<Record<string, Messages>>;
  /** Scripts of pages, by name (a-z, `_`): texts of modules that export `attach` (docs/plugins/features.md). Forms with this `part` load them from `/api/v1/<name>.js`. */
  readonly scripts?: Readonly<Record<string, () => MaybePromise<string>>>;
  /** Commands of the program: `relay NAME`. */
  readonly commands?: readonly Command[];
  /** Checks of `relay doctor` in addition to its own. */
  readonly checks?: readonly Check[];
  /** The environment variables that it reads, with their documentation. */
  readonly variables?: Variables;
  /** Checks all forms together, without those that have mistakes. */
  readonly validate?: (forms: ReadonlyMap<string, Form>, at: Diagnostics) => void;
  /** Called once for each config that names it, before the life of the one before ends. */
  readonly start?: (life: Life) => void;
  /** Adds to what `/readyz` says. */
  readonly readiness?: () => MaybePromise<Readiness | undefined>;
  /** Called for each submission once it is answered. */
  readonly observe?: Observer;
}
interface Plugin {
  /** Places where `keep` and `counted_in` can store. */
  readonly stores?: readonly StoreType[];
}
interface PluginCall extends Call {
  /** Sends requests with the id of the delivery, within its time. */
  readonly http: Http;
}
interface PluginContext {
  readonly services: Services;
}
interface PluginDelivery {
  /** The same for every try: an idempotency key. */
  readonly id: string;
  readonly formId: string;
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The result of `mapping` and `static`. */
  readonly payload: Payload;
  /** The same for people: labels and words in the form's first language; all fields if there is no `mapping`. */
  readonly labelled: readonly FilledIn[];
  /** The submission as `write` renders it for a chat: title and rows as plain text, in which no line can be forged, shortened until `fits` accepts the result. `write` escapes them. */
  message<T>(write: (message: ReadableMessage) => T, options?: MessageOptions<T>): T;
  /** All that was submitted. */
  readonly values: Values;
  readonly files: Files;
  /** Renders a key of the output. Rejects with `kit.fail` a variable that is not set and has no `default`. */
  template(template: Template): string;
}
/** A field type as a plug-in writes it: a mistake may be a text. */
interface PluginField<K extends Properties = Properties> extends Omit<FieldType<K>, 'checkValue' | 'check'> {
  /** The mistake in one non-empty value. Default: it must be one of those offered. */
  checkValue?(field: Declared<K>, value: string, submission: Submission): Message | string | undefined;
  /** The mistake in all of them together. */
  check?(field: Declared<K>, values: readonly string[], submission: Submission): Message | string | undefined;
}
/** An output type as a plug-in writes it. */
interface PluginOutput<K extends Properties = Properties> extends Omit<OutputType<K>, 'open'> {
  /** Without `mapping`, the output sends all fields, as messages do. */
  readonly sendsAll?: true;
  /** Makes what all deliveries of an output share, once, when the config loads. */
  open(output: Parsed<K> & Common, context: PluginOutputContext): Opened;
}
interface PluginOutputContext {
  readonly form: OutputForm;
  /** The value of an environment variable. */
  env(name: string): string | undefined;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Nothing may leave the process then. `http` takes care of itself. */
  readonly isDryRun: boolean;
}
interface PluginProbe extends PluginCall, ProbeCall {
  /** Renders a key of the output, as if nothing had been submitted. */
  template(template: Template): string;
}
/** For example `{'script-src': ['https://challenges.cloudflare.com']}`. */
type PolicySources = Readonly<Record<string, readonly string[]>>;
interface ProbeCall extends Call {
  /** Whether the owner allows to write something and remove it again. */
  readonly writes: boolean;
}
type Properties = Readonly<Record<string, Property<unknown>>>;
interface Property<T> {
  readonly doc: string;
  readonly schema: Schema<unknown>;
  readonly isRequired?: true;
  /** As written in a config. */
  readonly fallback?: string;
  /** Names that other products and languages use for it: `words('success thank_you')`. */
  readonly aliases?: readonly string[];
  /** Never there; it carries the type. */
  readonly '~type'?: T;
}
/** Objects that features provide in a form, by their names. A plug-in declares its own, and others then read it with its type: `declare module '@form-relay/core/plugin' { interface Provided { places: Places } }`. */
interface Provided {}
interface Provided {
  /** For features with `reads: ['shared_state']`. Absent if the config has no store that counts (`counted_in`, or that of `keep`). */
  readonly shared_state: SharedState;
  /** For features with `reads: ['held']`. Absent if the config has no `keep` at the top, or a queue, which hides what waits. */
  readonly held: HeldSubmissions;
}
interface Provided {
  /** For features with `reads: ['visitor_mail']`. */
  readonly visitor_mail: VisitorMails;
}
interface QueueCounts {
  /** By form, or all under the empty name if the store cannot tell forms apart. */
  readonly forms: ReadonlyMap<string, FormCounts>;
}
/** A kept delivery. All but `content` is unencrypted, and holds nothing that a visitor wrote. */
interface Queued {
  readonly id: string;
  readonly form: string;
  readonly output: QueuedOutput;
  /** Milliseconds since the epoch, like all times here. */
  readonly receivedAt: number;
  /** The retry schedule follows from this. */
  readonly keptAt: number;
  readonly tries: number;
  readonly why: FailureReason | undefined;
  /** The submission, as the queue packs it. */
  readonly content: Uint8Array;
}
/** Identifies the output although its config may change before the delivery. */
interface QueuedOutput {
  /** The output's index among the `of` outputs of its form. */
  readonly place: number;
  readonly of: number;
  readonly type: string;
  /** A hash of the output's config without credentials. */
  readonly fingerprint: string;
}
/** Nothing in it is escaped: each service has markup of its own. */
interface ReadableMessage {
  readonly title: string;
  /** Whether visitors can influence the title. */
  readonly isTitleSubmitted: boolean;
  readonly rows: readonly ReadableRow[];
  /** Lines below: how many rows are left out, and the page where the form was filled in. */
  readonly notes: readonly string[];
}
interface ReadableRow {
  /** A single line. */
  readonly label: string;
  /** The label with a colon, unless it ends with a mark of its own. */
  readonly heading: string;
  readonly value: string;
  /** Whether the value stands below its label: it has several lines. */
  readonly isBlock: boolean;
  /** Both as one text: `Name: Ada`, or the label with indented lines below. */
  readonly line: string;
}
/** Without names of forms and values: `/readyz` is public. */
interface Readiness {
  readonly says: string;
  /** The relay should get no requests: the answer is 503. */
  readonly isUnready?: boolean;
}
/** Values by the names of the features that made them. */
interface Registered<All> {
  get<N extends keyof All & string>(name: N): All[N] | undefined;
  /** In the order of the features, for what several may provide. */
  values(): Iterable<unknown>;
}
/** A request as plain data, for all runtimes. */
interface RelayRequest {
  readonly method: string;
  /** As sent, percent-encoded, without query. */
  readonly path: string;
  /** As sent, without `?`. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** As sent; `undefined` if it could not be read. */
  readonly body: Uint8Array | undefined;
}
interface RelayResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
type Remedies = Readonly<Record<string, string>>;
/** The result of a function that can fail as expected: a value, or the failure as data. Thrown errors are bugs. */
type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };
/** An API address that a feature answers: `/api/v1/<name>/{form}`. */
interface Route {
  readonly name: string;
  /** OPTIONS is always answered; GET includes HEAD. */
  readonly method: 'GET' | 'POST' | 'GET, POST';
  readonly answer: (call: RouteContext) => MaybePromise<RelayResponse>;
}
interface RouteContext extends PluginContext {
  readonly request: RelayRequest;
  readonly form: Form;
  /** All forms of the config, by their ids: for calls at one form's address that concern another. */
  readonly forms: ReadonlyMap<string, Form>;
  readonly requestId: string;
  /** Aborts when the time of the request is up. */
  readonly signal: AbortSignal;
  /** Sends requests within its time. */
  readonly http: Http;
  /** Answers with an outcome in the format that the client wants. */
  respond(outcome: Outcome): MaybePromise<RelayResponse>;
}
type Scalar = string | number | boolean | null;
/** Reads a value, or reports mistakes and returns `undefined`. */
interface Schema<T> {
  (value: unknown, at: Diagnostics): T | undefined;
  /** The kind of value, for editors. Default: any value. */
  readonly json?: JsonSchema | (() => JsonSchema) | undefined;
}
/** Resolves once the server took the mail; or with the outcome for the visitor, such as that the address had three within the hour. All checks have to come before it, so that no bot mails strangers. */
type SendVisitorMail = (submission: Submission, mail: {
  readonly button?: { readonly words: string; readonly href: string };
  readonly params?: Message['params'];
}) => Promise<Outcome | undefined>;
/** A file as a body carried it. The name is as the browser sent it, without the path; the media type may be empty. Neither is verified. */
interface SentFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}
/** Everything outside the process. The core and plug-ins use nothing else, so that tests can control time and failures. */
interface Services {
  /** Plug-ins must store and count nothing outside these services. `delivering`: outputs deliver, so what protects them must run. */
  readonly isDryRun?: boolean | 'delivering';
  /** Milliseconds since the epoch. */
  now(): number;
  /** The value of a process environment variable, for `{{ env "NAME" }}`. */
  env(name: string): string | undefined;
  uuid(): string;
  /** From 0 up to 1, evenly spread. */
  random(): number;
  sleep(ms: number): Promise<void>;
  log: Log;
}
/** Results of features for their keys at the top of the config (`configureTop`), declared as in `Provided`. */
interface Shared {}
/** Entries of a form under keys, in the store that counts. All relays that share it change an entry one after the other. A key begins with the name of the feature. Methods reject if the store fails; in a dry run, they use the memory. */
interface SharedState {
  /** @param by The submission, the call of a route, the view of a form, or the life of the plug-in. */
  read(by: { readonly services: Services }, key: string): Promise<StateEntry | undefined>;
  /** Replaces an entry by what `make` returns: `undefined` removes it. `make` gets the present entry, and is called again if another process changed it meanwhile. Resolves with the new entry once that is durable. */
  change(by: { readonly services: Services }, key: string, make: (entry: StateEntry | undefined) => StateEntry | undefined): Promise<StateEntry | undefined>;
}
/** Gives a signal the types of its keys. */
declare const signal: <K extends Properties>(definition: SignalType<K>) => SignalType;
interface SignalContext {
  /** Sends requests within the time of the signal. A dry run sends none: it says what the server would get. */
  readonly http: Http;
  env(name: string): string | undefined;
  /** Aborts when its time is up. */
  readonly signal: AbortSignal;
}
/** The parts of a submission that signals of the spam score read. */
interface SignalInput {
  readonly formId: string;
  readonly fields: readonly InputField[];
  /** The form's languages, as BCP 47 tags. Empty if the config names none. */
  readonly languages: readonly string[];
  /** Submitted values under names that the form knows. */
  readonly values: Values;
  /** The request's headers; names in lower case. `undefined` if unknown. */
  readonly headers: Readonly<Record<string, string | undefined>> | undefined;
  /** The sender's IP address; `undefined` if unknown. Plug-ins get no address of a private network. */
  readonly address: string | undefined;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}
/** A signal that speaks against a submission. */
interface SignalScore {
  /** Above 0, and up to 1: how much of its weight counts. */
  readonly score: number;
  /** In the owner's words, such as `3 links`: numbers, and names from the config. Never what was submitted. */
  readonly why: string;
}
/** A signal of the spam score, which a form counts where its `signals`, or those at the top, name it. Together, the signals of plug-ins count at most half of `drop`. */
interface SignalType<K extends Properties = Properties> {
  /** The key under `signals`. The message `signal_NAME` says in mails what it noticed. */
  readonly name: string;
  /** A sentence for its owner: what it looks for, and what it sends where. */
  readonly summary: string;
  /** How many points it counts at most, unless the config says so. */
  readonly weight: number;
  /** The keys besides `weight`. */
  readonly keys?: K;
  /** A map of its keys as an example, for a signal that cannot do without them. Default: a number will do. */
  readonly example?: string;
  /** The environment variables without which it finds nothing. */
  needs?(keys: Parsed<K>): readonly string[];
  /** Evidence against a submission, within 1.5 s. `undefined`: there is none. A rejection, such as of `http`, counts nothing, and is logged (`service_silent`). */
  score(keys: Parsed<K>, input: SignalInput, context: SignalContext): MaybePromise<SignalScore | undefined>;
}
type Size = { readonly bytes: number };
/** Anything else that `Intl` writes. Gets BCP 47 tags in order of preference. */
type Spelled = { readonly spell: (locales: readonly string[]) => string };
interface StateEntry {
  /** Up to some KB, as all entries of a form share 256 texts of 300 KB. */
  readonly text: string;
  /** When it lapses, in milliseconds since the epoch. */
  readonly until: number;
}
interface Store {
  readonly leases?: Leases;
  readonly counts?: Counts;
  /** Checks for `relay doctor` and at the start whether the store works. */
  probe(signal: AbortSignal): Promise<readonly Finding[]>;
  /** Remedies of failures, by `code`; `other` is that of all the rest. */
  readonly remedies?: Remedies;
  /** Creates what the store needs, if the relay may. Returns what it did, in words. */
  setUp?(): Promise<readonly string[]>;
  /** Gives back what it has leased. */
  close(): Promise<void>;
}
interface StoreContext extends Pick<Services, 'env' | 'now'> {
  /** An entry as bytes, to store as they are. */
  encode(entry: Queued): Uint8Array;
  /** The entry of these bytes; or what is left of it, with `isDamaged`. */
  decode(bytes: Uint8Array, known: Pick<Queued, 'id' | 'form' | 'keptAt'>): Pick<Lease, 'kept' | 'isDamaged'>;
  /** Makes the book of a store's leases, so that they are renewed, settled once, and given back at its end. */
  leaseBook<T extends object>(rules: LeaseRules<T>): LeaseBook<T>;
}
/** A kind of store (docs/plugins/stores.md). */
interface StoreType {
  /** The schemes of its addresses, in lower case: `redis` for `keep: {in: redis://host}`. Empty: a path. */
  readonly schemes: readonly string[];
  /** An address, for messages about mistakes. Default: by the first scheme. */
  readonly example?: string;
  /** Default: deliveries alone. */
  readonly holds?: readonly Held[];
  /** The mistake in an address, in words for its owner. `undefined` if there is none. */
  problem?(address: string): string | undefined;
  /** Opens the store at an address. A store connects to nothing and reads nothing before it is used. */
  open(address: string, context: StoreContext): Store | Promise<Store>;
}
/** A submission in the pipeline of its form. Features may set what is not `readonly`. */
interface Submission {
  readonly form: Form;
  readonly formId: string;
  /** Outputs get it under this id and time. A submission that is sent again may keep those of its first try. */
  requestId: string;
  /** In milliseconds since the epoch. */
  receivedAt: number;
  /** When all its timeouts end, in milliseconds since the epoch. */
  readonly deadline: number;
  readonly request: RelayRequest;
  readonly services: Services;
  /** Aborts when its time is up: the sender reads that it failed, and nothing may be delivered any more. */
  readonly signal: AbortSignal;
  /** Sends requests within its time. The submission then counts for limits, whatever becomes of it (`countAlways`). */
  readonly http: Http;
  /** The client, as far as the proxies tell. */
  readonly client: Client;
  /** Set if a server with a key of the form sent it, so that features that are `browsersOnly` are skipped. Set in `onRequest`. */
  isTrusted: boolean;
  /** The submitted values of inputs that the form knows; empty until the body is read. */
  sent: Values;
  sentFiles: Files<SentFile>;
  /** Files that passed validation, by field. `values` has their names and sizes. */
  files: Files;
  /** The values for outputs; empty until validation has passed. Features may add to it in `afterValidation`. */
  values: Values;
  /** The result of each output, by its index; empty before the delivery. */
  readonly deliveries: (DeliveryResult | undefined)[];
  /** Set only in dry runs, so explanations cost nothing elsewhere: `trace?.note(…)`. */
  readonly trace: Trace | undefined;
  /** Logs an event about it, under its ids and its form. `fields` hold no submitted value. */
  log(level: LogLevel, event: string, fields?: object): void;
  /** Adds members to its line in the log. The members hold no submitted value. */
  addLogFields(fields: Readonly<Record<string, unknown>>): void;
  /** Runs work after the answer if the process lives on, and before it otherwise (Lambda). */
  defer(work: () => Promise<void>): MaybePromise<void>;
}
type TakenFiles = { readonly files: readonly UploadedFile[] } | { readonly error: Message; readonly at?: number };
/** A template that passed all checks, so that rendering cannot fail. */
declare class Template {
  readonly source: string;
  render(context: TemplateContext): string;
  /** Whether visitors can influence the result. */
  get isSubmitted(): boolean;
}
/** The data available to templates (SPEC: Templating). */
interface TemplateContext {
  readonly fields: Values;
  readonly formId: string;
  /** UTC, RFC 3339. */
  readonly submittedAt: string;
  env(name: string): string | undefined;
}
interface Test {
  readonly field: string;
  readonly test: keyof typeof opposites;
  /** The canonical texts, the number, the day or time, or the regular expression that values are compared with. */
  readonly values: readonly string[];
  /** Matches in linear time. Default: the engine of the browser. */
  readonly matches?: (value: string) => boolean;
}
/** Text as written. */
declare const text: () => Schema<string>;
/** `{name}` is a parameter. Plural texts have a form for each category of CLDR; the parameter `count` names selects it. */
type Text = string | ({ readonly count: string; readonly other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);
/** The context of features for their keys at the top. */
interface TopContext {
  /** The forms as far as they could be read, with their keys as schemas read them. */
  readonly forms: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** For warnings about the environment. */
  readonly services: Pick<Services, 'env'>;
  messagesIn(language: string): Messages;
}
/** The decision of each feature about a submission of a dry run, in order: for `relay explain` and the studio. */
declare class Trace {
  /** Explains the decision of the feature that runs now, in words for the owner. */
  note(words: string): void;
}
/** Renders a message as plain text. A missing parameter renders empty, an unknown code as `try_again`. */
type Translate = (message: Message) => string;
interface Transport {
  /** Delivers once. Resolves with a warning for the owner, if any; rejects with a `ClientError` if the other side did not take it, or may not have. */
  send(delivery: Delivery, call: Call): Promise<string | undefined>;
  /** The destination for its owner, such as `https://crm.example.com/leads`. Holds no credentials. */
  readonly target?: string;
}
type Typed = Lengths & Pick<Field, 'name' | 'placeholder' | 'autocomplete'>;
/** Why the sender of a request is unknown. `network`: the private network that it comes from. */
type UnknownClient = { readonly why: 'no_peer' | 'proxy_silent' } | { readonly why: 'proxy_unlisted'; readonly network: string };
/** A file that a form accepted. The name is safe anywhere: never empty, without a path, controls or reserved names, and at most 200 bytes. The type follows from the bytes. */
type UploadedFile = SentFile;
declare const url: () => Schema<URL>;
/** All values of a body or query by field name, in the order sent. A map, so that no name is special (`__proto__`). */
type Values = ReadonlyMap<string, readonly string[]>;
interface Variable<T> {
  readonly name: string;
  readonly doc: string;
  readonly fallback?: string;
  /** The value, or what would do instead. */
  readonly read: (text: string) => Result<T, string>;
  /** Whether it holds a secret of the relay's, which must not be an ARN. */
  readonly isSecret?: true;
}
type Variables = Readonly<Record<string, Variable<unknown>>>;
/** A service's own words about a request. */
interface Verdict {
  /** Whether an answer of success says that the service took it. Default: yes. */
  readonly isTaken?: boolean;
  /** The service's code of a failure, such as `chat_not_found`, for the log. Never a text, which may repeat a submitted value. */
  readonly code?: unknown;
  /** The wait before another try, in milliseconds. `Retry-After` is read without it. */
  readonly afterMs?: number | undefined;
  /** Whether another try may help. Default: what the status says, or a wait. */
  readonly isPassing?: boolean;
}
/** A text under a key, and the version that was read. */
interface Versioned {
  /** `undefined`: there is none yet. */
  readonly text: string | undefined;
  /** Opaque: only the store that gave it reads it. */
  readonly version: string;
}
/** Mails that visitors wait for, such as one with a link. */
interface VisitorMails {
  /** A mail to the address in a field. Reads the keys of `verification_mail` at `at`, and reports mistakes. Without a `subject` and a `text`, it has the words of the codes `<name>_subject` and `<name>_text`, with `form` and `params`.  @param to The name of a field of type `email`. */
  open(name: string, to: string, at: Diagnostics): SendVisitorMail | undefined;
}
/** A duration, written in whole minutes or hours. */
type Wait = { readonly seconds: number };
/** Provided by a feature that counts submissions. */
interface Withdrawing {
  /** Takes back what a submission took that was accepted and held, but is not delivered after all. */
  withdraw(submission: Submission): MaybePromise<void>;
}
/** Values that each language writes in its own way. A list of texts and messages is written `A, B or C`. */
type Written = Decimal | Day | Size | Wait | Spelled;
export type {
  BodyParser, Card, Check, CheckContext, Client, ClientError, Command, CommandContext, ControlState, Counts,
  DeadLetterReason, DeliveryResult, Diagnostics, FailureReason, Feature, FeatureKeys, Field, FieldError,
  FieldExtension, FieldHooks, FileEncoding, Files, FilledIn, Finding, Form, FormConfig, FormMarkup, FormOutput,
  FormView, Handler, HeldSubmissions, Hold, Hooks, Html, HtmlValue, Http, InputField, Kit, Lease, Leases, Life,
  Listed, Locale, LocalizedText, Log, LogLevel, Mailbox, MakePlugin, MaybePromise, Message, MessageOptions,
  Messages, Middleware, Note, Observer, Opened, Option, Outcome, OutputConfig, OutputExtension, OutputForm,
  OutputHooks, Parsed, Path, Payload, PlainAnswer, PlainRequest, Platform, Plugin, PluginCall as Call,
  PluginDelivery as Delivery, PluginField as FieldType, PluginOutput as OutputType,
  PluginOutputContext as OutputContext, Properties, Property, Provided, QueueCounts, Queued, ReadableMessage,
  ReadableRow, Readiness, Registered, RelayRequest, RelayResponse, Remedies, Route, RouteContext, Schema,
  SendVisitorMail, SentFile, Services, Shared, SharedState, SignalContext, SignalInput, SignalScore, SignalType,
  StateEntry, Store, StoreContext, StoreType, Submission, Template, TopContext, Transport, UploadedFile, Values,
  Variables, Verdict, Versioned, VisitorMails, Withdrawing,
};
