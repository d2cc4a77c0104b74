// The interface for plug-ins, version 1.0. `npm run interface` writes this file.
/** Details of a mistake. */
interface About {
  /** A code that identifies the mistake for programs. */
  readonly code?: string | undefined;
  /** Whether the key itself is wrong, not its value. */
  readonly aboutKey?: boolean | undefined;
  /** The word probably meant instead of `word`. The message ends with it. */
  readonly suggestion?: string | undefined;
}
/** An address as 16-bit groups: two for IPv4, including mapped addresses (`::ffff:192.0.2.1`; RFC 4291, 2.5.5.2), eight for IPv6. */
type Address = readonly number[];
interface Addressed {
  readonly url?: URL | undefined;
  readonly url_env?: string | undefined;
}
interface AuthorsFailure {
  /** Names the kind of failure, for the stores. */
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
/** The time limit of an attempt. */
interface Call {
  readonly timeoutMs: number;
  /** Aborts when the time is up: the attempt counts as failed, and nothing may be delivered afterwards. */
  readonly signal: AbortSignal;
}
interface Card {
  /** For example `min-fill`. */
  readonly name: string;
  /** The effect on submissions: `drops who fills in “website”`. */
  readonly says: string;
  /** Text after the command that sends a submission without a browser, if the result differs then. */
  readonly withoutBrowser?: string;
}
/** A check of `relay doctor`. */
interface Check {
  /** The heading of its findings. */
  readonly name: string;
  /** Resolves with the findings, none if it has nothing to check. An exception counts as a bug in the check. */
  probe(context: CheckContext): Promise<readonly Finding[]>;
}
interface CheckContext {
  /** `undefined` if the config does not load. */
  readonly config: Config | undefined;
  readonly env: Environment;
  /** Sends requests within the time limit of the check. */
  readonly http: Http;
  readonly now: () => number;
  /** Whether the owner lets checks write test data and remove it again. */
  readonly writes: boolean;
  /** Aborts when the time limit of the check is over. */
  readonly signal: AbortSignal;
}
/** The owner's class names for parts of a form, in addition to the relay's own. */
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
  /** A single word that is not the name of one of the relay's own commands. */
  readonly name: string;
  readonly alias?: string;
  /** A few words for the list of commands. */
  readonly summary: string;
  /** A sentence for the command's help. Default: the summary. */
  readonly description?: string;
  /** In the order of the command line. */
  readonly arguments?: Properties;
  /** By name in camel case: `olderThan` is `--older-than`. */
  readonly options?: Properties;
  /** Command lines that work as written, each with its purpose. */
  readonly examples?: readonly (readonly [line: string, says: string])[];
  /** Resolves with the exit code. Anything but a number means 0. */
  run?(given: Readonly<Record<string, unknown>>, context: CommandContext): Promise<unknown>;
}
interface CommandContext {
  readonly env: Environment;
  /** The config that a relay would load here. Fails with the mistakes in it. */
  config(): Promise<Config>;
  /** A relay as it would start here, except that it delivers nothing by itself. Closed when the command ends. */
  relay(): Promise<OwnRelay>;
  /** Reads a file. Fails with the reason if it cannot be read. */
  read(path: string): Promise<Buffer>;
  /** Asks in the terminal. Anything but `y` and `yes` means no. */
  ask(question: string, screen?: NodeJS.WriteStream): Promise<boolean>;
  print(text: string): void;
  /** Throw this if a correctly called command fails: its text is written to stderr, and the exit code is 1. */
  fail(says: string): Error;
  /** Throw this if the command was called incorrectly: the exit code is 2. */
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
/** The config as plug-ins read it. The core sees more members (core_plugin.ts). */
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
/** Texts by key, for places, `once` and idempotency keys. A writer names the version that it read, so that no change is lost. Keys consist of `a-z`, digits, `_`, `-` and `=`, with slashes between them. Rejects with a `ClientError`. */
interface Counts {
  read(key: string, timeoutMs: number): Promise<Versioned>;
  /** The latest version known to this process, without a request; good enough for trying a write. */
  recall?(key: string): Versioned | undefined;
  /** Replaces what was read. Resolves with `true` once the text is stored; with `false` if there is another version or the outcome is unknown, so that the caller must read again. */
  write(key: string, text: string, read: Versioned, timeoutMs: number): Promise<boolean>;
  /** Removes a text that no other process is using. */
  remove(key: string, timeoutMs: number): Promise<void>;
}
/** A day in HTML's format, such as 2030-12-31. */
type Day = { readonly day: string };
/** Why it is not retried until the owner requests it. */
type DeadLetterReason = /** Retrying would not help. */
'refused' |
/** The retry period is over. */
'expired' |
/** Damaged, altered, or encrypted with another KEEP_SECRET. */
'unreadable';
/** A number as typed, with all its decimal places: `12.50`. */
type Decimal = { readonly decimal: string };
/** The keys of a field in the config, for a type with the keys `K`. */
type Declared<K extends Properties> = Parsed<typeof commonFieldKeys> & Parsed<K>;
/** A delivery as plain data: any process that has it and the config can make the delivery at any time. */
interface Delivery {
  /** Identifies the delivery, the same for every attempt: `<request id>-<index of the output>`. */
  readonly id: string;
  readonly requestId: string;
  readonly formId: string;
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
  /** All values that outputs may have. */
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
  /** The fields that it reads. The relay reports circular references. */
  readonly reads: readonly string[];
  /** The field's key that names them, for reports. */
  readonly key: string;
  /** Computes the values. `read` returns a field's normalized non-empty values, or `undefined` while the field is hidden. A repeated field has its JSON. An empty text means that no result can be computed: outputs omit the field, `words` tells people why, and the log has `result_left_out`. */
  values(read: (field: string) => readonly string[] | undefined): readonly string[];
}
/** A place in a config, and the report for its mistakes. */
declare class Diagnostics {
  readonly path: Path;
  /** The place at this path from the top of the config. */
  fromTop(...path: Path): Diagnostics;
  in(...steps: Path): Diagnostics;
  /** Reports a mistake; returns `undefined`, so that a schema can return the result. */
  error(message: string, about?: About): undefined;
  /** Warns about something that works but is probably unintended. The config still loads. */
  warning(message: string, about?: About): undefined;
  /** Reports a value of the wrong kind: `found "5"; expected a list`. */
  found(value: unknown, instead: string, about?: About): undefined;
  /** Records required environment variables: the log and `/readyz` name those that are not set. */
  needsEnv(...names: readonly string[]): void;
  /** Records environment variables that are read but may be unset. */
  usesEnv(...names: readonly string[]): void;
}
type Environment = Readonly<Record<string, string | undefined>>;
interface FailureReason {
  /** The code of a `ClientError`, or one of the relay's own. */
  readonly code: string;
  /** The reason for the owner, as in the log, without values and secrets. */
  readonly words: string;
}
/** Optional behaviour of a form. `K`: its keys; `N`: its name. Methods, so that a list can hold features with any keys. */
interface Feature<K extends FeatureKeys = FeatureKeys, N extends string = string> {
  readonly name: N;
  /** Features that come before this one, if loaded. This feature can read what they provide, and runs inside them. */
  readonly after?: readonly string[];
  /** Features that come after this one, if they are loaded. */
  readonly before?: readonly string[];
  /** Features whose `provides` it reads: the relay loads them with it, and they come before it. */
  readonly reads?: readonly string[];
  readonly keys?: K;
  /** Checks its top-level keys, once for each config and before any form. All forms get the result as `shared`. */
  configureTop?(top: Partial<ParsedAt<K, 'top'>>, at: Diagnostics, context: TopContext): MaybePromise<Of<Shared, N> | undefined>;
  /** Compiles the feature for a form, once. `undefined` if the form does not use it. In forms with mistakes, invalid values are `undefined`. */
  configure(context: FormConfig<K, N>, at: Diagnostics): Hooks<N> | undefined;
  /** Addresses of the API: `/api/v1/<name>/{form}`. */
  readonly routes?: readonly Route[];
}
/** A feature's own keys: in a form, in the form's `spam`, at the top of the config, and in `spam` at both levels. */
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
  /** The canonical form of a submitted or stored value, for conditions, comparisons and `once`. */
  canonical(value: string): string;
  check(values: readonly string[], submission: Submission): FieldError | undefined;
  readonly store?: ((value: string, submission: Submission) => string) | undefined;
  readonly samples?: ((now: number) => readonly (readonly string[])[] | undefined) | undefined;
  /** The stored values for people, without empty ones. `label` is the text next to them. */
  words(values: readonly string[], locale: Locale, label?: string): readonly string[];
  /** The stored values in JSON, such as a number or a boolean; `undefined` omits them. */
  json(values: readonly string[]): unknown;
  /** The fields that are submitted in place of this one. */
  readonly inputs?: Inputs | undefined;
  /** Links cannot prefill it. */
  readonly isClosedToLinks?: true | undefined;
  readonly min_length?: number | undefined;
  readonly max_length?: number | undefined;
  control(state: ControlState): Html;
  /** The same field with other keys: as an input of another field, or with other options. */
  withKeys(keys: Partial<Omit<Field, 'type'>> & Readonly<Record<string, unknown>>): Field;
}
/** An entry in the palette of a form builder. */
interface FieldCard {
  readonly title: string;
  readonly purpose: 'Text' | 'Choice' | 'Date and number' | 'Files' | 'Layout';
  /** Other words that people search for. */
  readonly words: string;
  /** The keys of a new field besides `type`. Default: a `name` equal to the type. */
  readonly sample?: Readonly<Record<string, unknown>>;
  /** Common keys that the type rejects or does not need. Form builders do not offer them. */
  readonly idleKeys?: readonly string[];
}
/** A field that failed validation, and how the visitor can correct it. */
interface FieldError extends Message {
  readonly field: string;
  /** The index of the invalid value among the non-empty ones; `undefined` if the error concerns all or none. */
  readonly at?: number | undefined;
}
/** Keys of all fields or of some types, and their behaviour. */
interface FieldExtension<K extends Properties = Properties> {
  readonly name: string;
  readonly keys: K;
  /** Keys of each option of a field, for types with a list of `options`: written as `{value: …, label: …}`. */
  readonly optionKeys?: Properties;
  /** The field types that have the keys. Default: all. */
  readonly types?: readonly string[];
  /** Changes the kinds of keys that the type has, such as `options` whose choices get an extra key. */
  changeKeys?(keys: Properties): Properties;
  /** Compiles the keys of a field, once. `undefined` if the field does not use them. */
  configure(field: Field & Partial<Parsed<K>>, at: Diagnostics): FieldHooks | undefined;
}
/** Members that replace the field's own. Only `check` runs in addition to the type's checks, after them. */
interface FieldHooks extends Partial<Pick<Field, 'canonical' | 'store' | 'words' | 'samples' | 'control'>> {
  /** The first mistake in non-empty values that passed the checks of the field's type. */
  readonly check?: (values: readonly string[], submission: Submission) => Message | undefined;
}
/** Functions are written as methods for the same reason. */
interface FieldType<K extends Properties = Properties> {
  readonly type: string;
  readonly summary: string;
  /** Names in other products, in lower case. Diagnostics suggest this type for them. */
  readonly aliases?: readonly string[];
  /** Values for dry runs and tests, the most typical first. Invalid ones are skipped. Default: words that suit its name. */
  samples?(field: Declared<K>, now: number): readonly (readonly string[])[] | undefined;
  /** How form builders offer the type. */
  readonly card?: FieldCard;
  /** The keys in addition to the common ones; they may replace some of those. */
  readonly keys: K;
  /** Reports mistakes that involve several keys; invalid keys are `undefined`. */
  problems?(field: Partial<Declared<K>>, at: Diagnostics): void;
  /** Default: `labelled`. */
  readonly layout?: Layout;
  /** The code or the message for a required field that is empty. Default: `missing`. */
  readonly missing?: string | MessageFor<Declared<K>>;
  /** A sentence under the label that describes the expected value, in addition to the owner's `help`. */
  hint?(field: Declared<K>): Message | readonly Message[] | undefined;
  /** All accepted values, if the keys list them. */
  offered?(field: Declared<K>): readonly string[];
  takesSeveral?(field: Declared<K>): boolean;
  /** Normalizes a typed value, such as `３` to `3`. An empty text means that the field is empty. */
  normalizeValue?(field: Declared<K>, value: string): string;
  /** How the form's script compares its values, such as `number`. Default: as text, or as the relay normalizes them. */
  readonly comparedAs?: Kind;
  /** The canonical form of a submitted or stored value, for comparisons. Default: by `comparedAs`. */
  canonical?(field: Declared<K>, value: string): string;
  /** The value that outputs get for a valid value, if it differs. */
  store?(field: Declared<K>, value: string, submission: Submission): string;
  /** Stored values for people, such as labels of options. `label` is the text beside them. Default: the stored values. */
  words?(field: Declared<K>, values: readonly string[], locale: Locale, label?: string): readonly string[];
  /** Whether to show the words as items of a list or lines of a block. Default: a list if there are several. */
  readonly shape?: 'list' | 'block';
  /** Stored values in JSON; `undefined` omits them. Default: a text, or a list of texts. */
  json?(field: Declared<K>, values: readonly string[]): unknown;
  /** Makes this a derived field, which visitors do not fill in: the relay computes its values, such as a total, from other fields. Called once for each form. Conditions and checks see the result. Submitted values are ignored. */
  derive?(field: Declared<K>, fields: readonly Field[], at: Diagnostics): Derivation | undefined;
  /** For a field of files: the accepted files, or the mistake in one of them. The relay makes their names safe and unique. */
  takeFiles?(field: Declared<K>, sent: readonly SentFile[]): TakenFiles;
  /** Fields right after this one in the form, such as the drawing of a signature. Their names start with this field's name and a dot. */
  further?(field: Declared<K>): readonly FurtherField[];
  /** Only the visitor fills it in, again each time: links cannot prefill it, and browsers do not store it. */
  readonly isReentered?: true;
  /** A script for forms that the relay's own script does not submit. */
  readonly script?: Html;
  /** The script that forms load for this type, a name in `Plugin.scripts`. */
  readonly part?: string;
  /** The control without its label, help and error; for a group, all its controls. */
  control(field: Declared<K>, state: ControlState): Html;
}
/** How archives store their files, such as encrypted. */
interface FileEncoding {
  /** The path in the archive of a file that a visitor named. */
  path(path: string): string;
  encode(bytes: Uint8Array): Promise<Uint8Array>;
}
/** Files by field, in the order sent. Separate from the values, which are text. */
type Files<F = UploadedFile> = ReadonlyMap<string, readonly F[]>;
/** A label and values as the visitor read them: the text of an option, `✓` for a ticked box. */
interface FilledIn {
  /** The name of the field. */
  readonly name?: string;
  readonly label: string;
  readonly values: readonly string[];
  /** Default: depends on the values, either on the label's line or below. */
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
/** A form as plug-ins read it: checked and compiled when the config loads, then immutable. The core sees more members (core_plugin.ts). */
interface Form {
  readonly id: string;
  readonly title: LocalizedText | undefined;
  readonly fields: readonly Field[];
  readonly notes: readonly Note[];
  readonly outputs: readonly FormOutput[];
  /** The language of a response. Without a request, the form's first language. */
  readonly locale: (request: RelayRequest | undefined) => Locale;
  /** The objects that features provide in this form. */
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
  /** The types of the form's outputs. */
  readonly outputTypes: readonly string[];
  /** When the config is loaded, in milliseconds since the epoch: for warnings about times in the past. */
  readonly now: number;
  readonly notes: Form['notes'];
  /** Where the config has a field, as a path in the form. */
  pathOf(field: Pick<Field, 'name'>): Path;
  /** The objects that the features before it provide. */
  readonly provided: Registered<Provided>;
  /** The messages that plug-ins add in a language (BCP 47), without other languages; English includes the core's messages. */
  messagesIn(language: string): Messages;
}
interface FormCounts {
  readonly due: number;
  /** Held entries, which are never late, because their `keptAt` is the last possible time. Default: they count as due. */
  readonly held?: number;
  readonly deadLetters: number;
  /** When the oldest entry was queued, if the store knows. */
  readonly oldestKeptAt: number | undefined;
}
/** Markup that a feature adds to a form, by position. */
interface FormMarkup {
  /** Above the fields. */
  readonly before?: HtmlValue;
  /** Below the fields: hidden inputs or a widget. */
  readonly inputs?: HtmlValue;
  /** Below the button, which remains the one that the Enter key activates. */
  readonly after?: HtmlValue;
  /** The script that the form loads for it, a name in `Plugin.scripts`. */
  readonly part?: string;
  /** Additions to the Content-Security-Policy of the relay's pages, by directive. */
  readonly sources?: PolicySources;
  /** Only this visitor may see the values: browsers do not store the page, and do not send its URL to other sites. */
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
  /** The site's class names for parts of the form, as in the config's `classes`. */
  readonly classes?: Classes;
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  readonly fields: readonly Field[];
  /** The part of the form's addresses before `/api/v1`; empty on the relay's own origin. */
  readonly base: string;
  readonly values: Values;
  /** The submitted values, if the form is rendered again. */
  readonly sent: Values | undefined;
  readonly outcome?: Outcome | undefined;
  /** `undefined` if the form is printed into a static page. */
  readonly request?: RelayRequest | undefined;
  /** Milliseconds since the epoch. `undefined` if the form is printed into a static page. */
  readonly now: number | undefined;
  readonly services: Services | undefined;
}
/** A field that is added to another one and shown under the same condition. Links cannot prefill it. */
interface FurtherField {
  readonly name: string;
  readonly type: FieldType;
  /** `{field}` in its text is the label of the other field. */
  readonly label: Message;
}
/** The rest of a pipeline. Returns the submission's outcome; never rejects. */
type Handler = (submission: Submission) => MaybePromise<Outcome>;
type Held = 'deliveries' | 'counts';
/** Submissions that wait in the store of `keep` until a feature releases them. Their entries are listed like failed deliveries, and encrypted if KEEP_SECRET is set. Methods reject if the store fails. */
interface HeldSubmissions {
  /** Call this instead of `next`: stores the deliveries of a submission. Resolves with their number once they are durable; 0 if no output accepts the submission. After `until`, they become dead letters. */
  hold(submission: Submission, how: Hold): Promise<number>;
  /** Starts delivering held submissions, as with `keep: always`. Resolves with the number of deliveries; 0 if nothing is held under this key any more. */
  release(key: string): Promise<number>;
  /** Removes held submissions. Features undo what they did for a submission (`withdraw` of what they provide).  @param takesBack Called after the removal: whether features undo what they did. Default: yes. */
  drop(key: string, takesBack?: () => MaybePromise<boolean>): Promise<number>;
}
interface Hold {
  /** A key that starts with the name of the feature. */
  readonly key: string;
  /** In milliseconds since the epoch. */
  readonly until: number;
  /** The reason, for the owner: `the submission waits for a payment`. */
  readonly why: string;
}
interface Hooks<N extends string = string> {
  /** Inputs that only this feature reads. Reserved inputs are removed before validation and mapping, and no field or other feature may use their names. */
  readonly reserves?: readonly {
    readonly name: string;
    /** The form's key that chooses the name, or could. Empty for a fixed name, which a field must then avoid. */
    readonly key: readonly (string | number)[];
    /** For example `the honeypot`, for reports about the name. Default: the feature's name. */
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
  /** The mistake in a field, even an empty one, given all values and the shown fields. Called if it has no other mistake. */
  readonly check?: (field: Field, sent: Values, shown: Form['fields'], by: Submission) => Message | undefined;
  /** After validation: acquires before `next` and commits or releases after it; mails visitors. `next` delivers. */
  readonly afterValidation?: Middleware;
  /** Around the delivery, inside every `afterValidation`: queues failed deliveries, prepares what outputs send. */
  readonly aroundDelivery?: Middleware;
  /** Changes the form before it is rendered, such as prefilled values or full options; or returns why it cannot be shown. */
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
  /** Sends a request once, and follows redirects that repeat it. Rejects unless the server accepted it; the error tells the relay whether to retry. */
  send(request: PlainRequest): Promise<PlainAnswer>;
}
type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** An undeclared field only has a name. */
type InputField = Pick<Field, 'name' | 'type'> & Partial<Pick<Field, 'label' | 'autocomplete' | 'value'>> & { readonly isUndeclared?: true };
/** The inputs of a field. Their names start with the field's name, and no other field may use them: `home.city`, `guests.2.name`. The field's value is JSON made of the inputs' values. */
interface Inputs {
  readonly shape: 'map' | 'list';
  /** Every possible input. */
  readonly all: readonly Field[];
  /** The inputs in the form, given the submitted values. */
  shown(values: Values): readonly Field[];
  /** The inputs to validate, given the submitted values. */
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
/** How the values of a field compare. `relay`: the field itself decides, so the script has to ask the relay. */
type Kind = 'text' | 'number' | 'date' | 'time' | 'datetime' | 'email' | 'country' | 'relay';
declare const kit: {
  /** The keys of a config that a plug-in adds: a kind, in `required`, `optional` or `withDefault`. */
  key: {
    /** Text. `read(kit.key.text(), 'a')` is `'a'`. */
    text: typeof text;
    /** Text with `{{ … }}`, rendered for each submission. With `{ submitted: false }`, the text is not empty, and contains nothing that visitors submit; use it for a room or a recipient. `read(kit.key.template(), 'Hello').render({})` is `'Hello'`. */
    template: ({ submitted }?: { readonly submitted?: boolean }) => Schema<Template>;
    /** A number, with optional limits. `read(kit.key.number({ least: 0 }), '1.5')` is `1.5`. */
    number: ({ least, most, whole }?: { least?: number | undefined; most?: number | undefined; whole?: boolean | undefined }) => Schema<number>;
    /** A whole number. `read(kit.key.whole({ most: 9 }), '3')` is `3`. */
    whole: (limits?: { readonly least?: number; readonly most?: number }) => Schema<number>;
    /** `true` or `false`. `read(kit.key.boolean(), 'true')` is `true`. */
    boolean: () => Schema<boolean>;
    /** A duration; the value is in milliseconds. `read(kit.key.duration(), '1m30s')` is `90_000`. */
    duration: ({ leastMs, mostMs, hasDays }?: { hasDays?: boolean | undefined; leastMs?: number | undefined; mostMs?: number | undefined }) => Schema<number>;
    /** A size; the value is in bytes. `read(kit.key.size(), '2KB')` is `2_048`. */
    size: ({ leastBytes }?: { leastBytes?: number | undefined }) => Schema<number>;
    /** An absolute URL with any scheme. `read(kit.key.url(), 'ldaps://example.com').protocol` is `'ldaps:'`. */
    url: typeof url;
    /** An `http:` or `https:` URL without credentials. `read(kit.key.httpUrl(), 'https://example.com').host` is `'example.com'`. */
    httpUrl: () => Schema<URL>;
    /** An e-mail address. `read(kit.key.address(), 'ada@example.org')` is `'ada@example.org'`. */
    address: () => Schema<string>;
    /** A word from a list. `read(kit.key.oneOf(['day', 'night']), 'day')` is `'day'`. */
    oneOf: <const T extends string>(options: readonly T[]) => Schema<T>;
    /** A list of values of one kind. `read(kit.key.list(kit.key.text(), { orOne: true }), 'a')` is `['a']`. */
    list: <T>(item: Schema<T>, { least, orOne }?: { least?: number | undefined; orOne?: boolean | undefined }) => Schema<readonly T[]>;
    /** A map whose keys the owner chooses. `read(kit.key.map(kit.key.text()), { a: 'b' }).get('a')` is `'b'`. */
    map: <T>(item: Schema<T>, keyProblem?: (key: string, earlier: ReadonlyMap<string, T>) => string | undefined, example?: string) => Schema<ReadonlyMap<string, T>>;
    /** A map with fixed keys. `read(kit.key.block({ a: kit.key.optional('A word.', kit.key.text()) }), { a: 'b' }).a` is `'b'`. */
    block: <K extends Properties>(keys: K, example?: string, check?: (read: Partial<Parsed<K>>, at: Diagnostics) => void) => Schema<Parsed<K>>;
    /** The options of a field, which may have keys of your own. `read(kit.key.options(), ['a'])` is `[{ value: 'a', label: 'a' }]`. */
    options: <K extends Properties>(keys?: K) => Schema<readonly (Option & Partial<Parsed<K>>)[]>;
    /** A short form, or a block in its place. `read(kit.key.either(kit.key.boolean(), kit.key.block({})), 'true')` is `true`. */
    either: <A, B>(short: Schema<A>, block: Schema<B>) => Schema<A | B>;
    /** A secret: the config names an environment variable. `read(kit.key.secret(), '{{ env "KEY" }}').render({ env: () => 'x' })` is `'x'`. */
    secret: (variable?: string) => Schema<Template>;
    /** A required key. `kit.key.required('The room.', kit.key.text()).doc` is `'The room.'`. */
    required: <T>(doc: string, schema: Schema<T>, more?: Pick<Property<unknown>, 'aliases'>) => Property<T>;
    /** An optional key. `kit.key.optional('The room.', kit.key.text()).isRequired` is `undefined`. */
    optional: <T>(doc: string, schema: Schema<T>, more?: Pick<Property<unknown>, 'aliases'>) => Property<T | undefined>;
    /** A key with a default, as written in a config. `kit.key.withDefault('10s', 'How long.', kit.key.duration()).fallback` is `'10s'`. */
    withDefault: <T>(fallback: string | number | boolean, doc: string, schema: Schema<T>, more?: Pick<Property<unknown>, 'aliases'>) => Property<T>;
  };
  /** An output type. `kit.output({ type: 'crm', summary: 'Adds a lead.', keys: {}, open: () => ({ target: 'the CRM', send: async () => {} }) }).type` is `'crm'`. */
  output: <K extends Properties>(definition: PluginOutput<K>) => OutputType;
  /** A field type. `kit.field({ type: 'plate', summary: 'A number plate.', keys: {}, control: (field, state) => kit.html.input('text', field, state) }).type` is `'plate'`. */
  field: <K extends Properties>(definition: PluginField<K>) => FieldType;
  /** A signal of the spam score. `kit.signal({ name: 'crm', summary: 'Unknown to the CRM.', weight: 3, score: () => undefined }).weight` is `3`. */
  signal: typeof signal;
  /** Any other feature of a form. `kit.feature({ name: 'quiet', configure: () => undefined }).name` is `'quiet'`. */
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
    /** Keys for all fields, or for those of some types. `kit.extension.field({ name: 'unit', keys: {}, configure: () => undefined }).name` is `'unit'`. */
    field: <K extends Properties>(definition: FieldExtension<K>) => FieldExtension;
    /** Keys for all outputs, or for those of some types. `kit.extension.output({ name: 'quiet', keys: {}, configure: () => undefined }).name` is `'quiet'`. */
    output: <K extends Properties>(definition: OutputExtension<K>) => OutputExtension;
  };
  /** A temporary failure, to be retried; `throw` it. The message is logged, and must not hold a submitted value. `kit.retry('it is busy', { afterMs: 5_000 }).retryAfterMs` is `5_000`. */
  retry: (why: string, { afterMs, ...more }?: AuthorsFailure & { readonly afterMs?: number }) => ClientError;
  /** A permanent failure, not to be retried; `throw` it. `kit.fail('there is no such list').message` is `'there is no such list'`. */
  fail: (why: string, more?: AuthorsFailure) => ClientError;
  /** Ends a submission with a message to its visitor, or with errors of fields. `kit.refused(422, 'banned_word').message.code` is `'banned_word'`, and `kit.refused(422, [kit.problem('cv', 'infected')]).errors[0].field` is `'cv'`. */
  refused: (status: number, why: string | readonly FieldError[], params?: Params) => Outcome;
  /** Answers a bot as if the submission had succeeded, and delivers nothing; the reason is logged. `kit.dropped('my_check', 'a banned word').status` is `200`. */
  dropped: (by: string, why: string, code?: string) => Outcome;
  /** Ends a submission with your own response. `kit.answered('teapot', { status: 418, headers: {}, body: '' }).status` is `418`. */
  answered: (kind: string, answer: RelayResponse) => Outcome;
  /** A middleware that only accepts or rejects. `kit.guard(() => kit.refused(429, 'later'))(() => 'next')({}).status` is `429`. */
  guard: (check: (submission: Submission) => MaybePromise<Outcome | undefined>) => Middleware;
  /** A middleware that sees the outcome, and returns it or another one. `kit.onOutcome((outcome) => outcome)(() => 'delivered')({})` is `'delivered'`. */
  onOutcome: (look: (outcome: Outcome, submission: Submission) => MaybePromise<Outcome>) => Middleware;
  /** Markup. There is no other way to create it. Inserted values are escaped. */
  html: {
    /** A template tag. `` String(kit.html.tag`<b>${'<i>'}</b>`) `` is `'<b>&lt;i&gt;</b>'`. */
    tag: typeof Html.tag;
    /** An owner's text, with `[words](…)` turned into links. `String(kit.html.text('[Terms](/terms)'))` is `'<a href="/terms">Terms</a>'`. */
    text: (text: string) => Html;
    /** An `<input>` element, tied to its label, help and error. `String(kit.html.input('color', { name: 'hue' }, state))` is `'<input type="color" id="f--hue" name="hue">'`. */
    input: (type: string, field: Typed, state: ControlState, more?: MoreAttributes) => Html;
    /** Radio buttons, or checkboxes. `String(kit.html.choices('radio', 'size', [{ value: 's', label: 'Small' }], state)).includes('value="s"')` is `true`. */
    choices: (type: 'radio' | 'checkbox', name: string, options: readonly { readonly value: string; readonly label: HtmlValue; readonly disabled?: true }[], state: ControlState) => Html;
    /** The attributes that tie any other control to its label, help and error. `` String(kit.html.tag`<meter${kit.html.attributes({ name: 'hue' }, state)}>`) `` is `'<meter id="f--hue" name="hue">'`. */
    attributes: (field: Parameters<typeof controlAttributes>[0], state: ControlState) => Html;
  };
  /** A message in the visitor's language, by its code in `messages`. `kit.message('too_late', { hour: 9 })` is `{ code: 'too_late', params: { hour: 9 } }`. */
  message: (code: string, params?: Params) => Message;
  /** An error of a field; `at` is the index of the value if there are several. `kit.problem('cv', 'infected')` is `{ field: 'cv', code: 'infected' }`. */
  problem: (field: string, code: string, params?: Params, at?: number) => FieldError;
  values: {
    /** The first non-empty value of a field, or the empty text. `kit.values.first(new Map([['name', ['', 'Ada']]]), 'name')` is `'Ada'`. */
    first: (values: Values, field: string) => string;
    /** The non-empty values of a field. `kit.values.all(new Map([['name', ['', 'Ada']]]), 'name')` is `['Ada']`. */
    all: (values: Values, field: string) => readonly string[];
    /** A payload as readable lines. `kit.values.lines([['name', ['Ada', 'Grace']]])` is `['name: Ada, Grace']`. */
    lines: (payload: Payload) => readonly string[];
    /** A readable number of bytes. `kit.values.size(2_048)` is `'2 KB'`. */
    size: (bytes: number) => string;
  };
  address: {
    /** Normalizes an address; `undefined` if mail servers may refuse it. `kit.address.parse('ada@example')` is `'ada@example'`. */
    parse: (text: string) => string | undefined;
    /** The domain of an address. `kit.address.domain('ada@Example.org')` is `'example.org'`. */
    domain: (address: string) => string;
    /** Whether two spellings mean the same address. `kit.address.same('Ada@example.org', 'Ada <ada@example.org>')` is `true`. */
    same: (one: string, other: string) => boolean;
  };
  time: {
    /** A readable duration. `kit.time.inWords(90_000)` is `'90 s'`. */
    inWords: (ms: number) => string;
    /** A moment as a parameter of a message, in the visitor's language. `kit.time.moment(0, 'Europe/Berlin').spell(['en'])` is `'1 January 1970 at 01:00 CET'`. */
    moment: (at: number, timeZone?: string) => { spell: ([language, ...others]: readonly string[]) => string };
    /** Whether a time zone with this name exists. `kit.time.isZone('Europe/Berlin')` is `true`. */
    isZone: (name: string) => boolean;
  };
  /** Encrypts a text that travels through browsers or mails. Only the same secret and use open it; each call returns a different result. `kit.unseal('a secret', 'invitation', kit.seal('a secret', 'invitation', 'Ada'))` is `'Ada'`. */
  seal: (secret: string, use: string, text: string) => string;
  /** The sealed text; `undefined` if the secret or the use differs. `kit.unseal('a secret', 'invitation', 'forged')` is `undefined`. */
  unseal: (secret: string, use: string, sealed: string) => string | undefined;
  /** Signs a text that anyone may read. `kit.sign('a secret', 'invitation', 'Ada').length` is `43`. */
  sign: (secret: string, use: string, text: string) => string;
  /** Whether a signature belongs to the text. `kit.verify('a secret', 'invitation', 'Ada', kit.sign('a secret', 'invitation', 'Ada'))` is `true`. */
  verify: (secret: string, use: string, text: string, signature: string) => boolean;
  /** The version of this interface, to be named in `needs`. `kit.version` is `'1.0'`. */
  version: string;
  /** The keys `url` and `url_env` of an output; one of them holds the address for its requests. */
  destination: {
    /** The keys. `Object.keys(kit.destination.keys)` is `['url', 'url_env']`. */
    keys: { url: Property<URL | undefined>; url_env: Property<string | undefined> };
    /** Use as `problems` of an output: reports an error if both keys are set, or neither. `typeof kit.destination.check` is `'function'`. */
    check: ({ url, url_env }: Addressed, at: Diagnostics, wanted?: 'url' | 'url_env') => void;
  };
};
type Kit = typeof kit;
/** The label above the control, a fieldset around choices, the label behind a box, no label, or a fieldset around other inputs. */
type Layout = 'labelled' | 'group' | 'radiogroup' | 'box' | 'bare' | 'inputs';
/** An entry that only this process has. Ended by exactly one of its methods, each of which resolves when that is durable. Rejects with `claim_lost` if another process has the entry by now; after any other failure, the lease remains and can be settled again. */
interface Lease {
  /** Set if the store cannot read the entry; `kept` then holds what could be recovered. */
  readonly kept: Queued;
  readonly isDamaged?: true;
  /** Ends a delivered entry, or one to be dropped. */
  done(): Promise<void>;
  /** Reschedules the entry, with its updated state. */
  reschedule(dueAt: number, kept: Queued): Promise<void>;
  deadLetter(reason: DeadLetterReason, kept: Queued): Promise<void>;
  /** Returns the entry unchanged, for use after this many milliseconds. If not called, the lease expires. */
  giveBack?(afterMs: number): Promise<void>;
}
interface LeaseBook<T> {
  /** Renews a lease from now on. */
  hold(lease: T): void;
  /** Stops renewing a lease, which expires unless it is settled. */
  drop(lease: T): void;
  /** An entry with the methods that end its lease, which is then held. The first method that succeeds counts; after a failure, another can follow. */
  lease<E extends Pick<Lease, 'kept' | 'isDamaged'>>(lease: T, entry: E, ends: Pick<Lease, 'done' | 'reschedule' | 'deadLetter'>): E & Lease;
  /** Returns a lease, unless it is or is being settled. */
  giveBack(lease: T, afterMs?: number): Promise<void>;
  /** For `leaseMatching`: yields a lease, and returns it when the next one is requested. */
  offer<E extends Lease & { readonly listed: Listed }>(lease: T, given: E): AsyncGenerator<E>;
  /** Returns all leases. */
  close(): Promise<void>;
}
/** The rules of a store for its leases, which may be rows of a table. */
interface LeaseRules<T> {
  /** A lease that is not renewed for this long expires, in milliseconds. */
  readonly leaseMs: number;
  /** Renews leases. Resolves with a list of the renewed ones; anything else means all of them. */
  renew(leases: readonly T[]): Promise<unknown>;
  /** Returns a lease, so that the entry is available after this many milliseconds. */
  giveBack(lease: T, afterMs: number): Promise<void>;
}
/** Waiting deliveries. Several processes may share them; a leased entry belongs to one process only. All methods reject with a `ClientError` on failure or timeout. */
interface Leases {
  /** A lease that is not renewed for this long expires, in milliseconds, because its process has probably died. */
  readonly leaseMs: number;
  /** Sentences for the owner about entries that `list`, `leaseMatching` and `count` cannot see, such as messages hidden by a queue. */
  readonly notes?: readonly string[];
  /** Resolves when all entries are durable. `isMine`: this process delivers them now, whatever `dueAt` says; returns a lease for each, in the same order. A store without such leases returns none, and makes the entries due at once. */
  keep(entries: readonly Queued[], options: KeepOptions): Promise<readonly Lease[]>;
  /** Leases up to `most` due entries. If there are none, waits up to `waitMs` or until `stop`. `mostBytes` limits their total content, which is in memory; the first entry may be larger. */
  lease(most: number, waitMs: number, mostBytes?: number, stop?: AbortSignal): Promise<readonly Lease[]>;
  /** Counts the entries, as far as the store can without reading all of them. */
  count(): Promise<QueueCounts>;
  /** Reads all entries without leasing them, in no particular order. Omits those that a queue hides. */
  list(): AsyncIterable<Listed>;
  /** Leases the wanted entries for an owner, whether due or not, and leaves the others unchanged. An entry that is not settled before the next one is requested may be returned unchanged. */
  leaseMatching(wanted: (one: Listed) => boolean): AsyncIterable<Lease & { readonly listed: Listed }>;
  /** Resolves with `true` for the first caller with this key among all processes that share the store. Not set if the store cannot tell. */
  isFirst?(key: string): Promise<boolean>;
}
type Lengths = Pick<Field, 'min_length' | 'max_length'>;
/** The period during which a config lists a plug-in. */
interface Life extends PluginContext {
  readonly forms: ReadonlyMap<string, Form>;
  readonly platform: Platform;
  /** Aborts with a `LifeEnd`: start nothing afterwards. */
  readonly signal: AbortSignal;
  /** Registers work that must end before the process does. */
  wait(work: Promise<unknown>): void;
}
/** An entry as returned by `list`. */
interface Listed {
  readonly kept: Queued;
  /** Why it is a dead letter; `undefined` if it is retried automatically. */
  readonly deadLetter: DeadLetterReason | undefined;
  /** The next try, if the store knows. */
  readonly dueAt?: number | undefined;
}
/** The visitor's language. */
interface Locale {
  /** BCP 47; `undefined` if the config names no language, so that markup and headers do not either. */
  readonly language: string | undefined;
  readonly direction?: 'ltr' | 'rtl' | undefined;
  /** The query that preserves the chosen language in addresses, such as `lang=de`. */
  readonly query?: string;
  readonly translate: Translate;
  write(value: Param): string;
  text<T = string>(wording: T | ReadonlyMap<string, T>): T;
}
/** The owner's text for visitors: one text for all, or one per language (BCP 47); the first is the fallback. */
type LocalizedText = string | ReadonlyMap<string, string>;
/** Writes one event. Fields never contain a submitted value, a token, a secret or a rendered header. */
type Log = (level: LogLevel, event: string, fields?: Readonly<Record<string, unknown>>) => void;
type LogLevel = 'info' | 'warn' | 'error';
/** A sender or recipient: a bare, valid address (`a@b.example`), or one with a display name. */
type Mailbox = string | { readonly name: string; readonly address: string };
/** The default export of a plug-in's module. The relay may call it more than once, so it must have no side effects. `options`: the values under `with` in a config, as `Plugin.options` reads them. */
type MakePlugin<O = unknown> = (kit: Kit, options: O) => Plugin;
/** A value or a promise of it. Most submissions wait only for outputs, and each promise costs memory. */
type MaybePromise<T> = T | Promise<T>;
/** A sentence for visitors as data. Plug-ins put the texts of their codes into `Plugin.messages`. */
interface Message {
  readonly code: string;
  readonly params?: Readonly<Record<string, Param>> | undefined;
}
/** The type of a method, so that a list can hold field types with any keys. */
type MessageFor<F> = {
  said(field: F): Message;
}['said'];
interface MessageOptions<T> {
  /** The first line. Default: the form's title, or else its id. */
  readonly title?: Template | undefined;
  /** Maximum length of the title and of labels. Default: 250. */
  readonly titleMost?: number;
  /** Whether the service accepts what `write` returned. Default: yes. */
  readonly fits?: (written: T) => boolean;
}
type Messages = Readonly<Record<string, Text>>;
/** Wraps the rest of a pipeline, once, when the form is compiled: a submission allocates nothing for it. */
type Middleware = (next: Handler) => Handler;
type MoreAttributes = Readonly<Record<string, string | number | undefined>>;
/** Text before a field, or after the last one. */
interface Note {
  /** Different from the name of every field. */
  readonly name: string;
  readonly text: LocalizedText;
  /** The index of the field that follows. */
  readonly before: number;
  readonly visible_when?: Condition | undefined;
}
/** Called for each submission just before the response: for logs and metrics. */
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
/** The declared type of the value, or else `unknown`. */
type Of<All, N extends string> = N extends keyof All ? All[N] : unknown;
interface Opened {
  /** The destination in words for the owner, without credentials: an address, the keys that hold it, or a text. */
  readonly target: string | URL | Addressed;
  /** Delivers once. Resolves with a warning for the owner (a text) or anything else. Rejects with `kit.retry` or `kit.fail`. */
  send(delivery: PluginDelivery, call: PluginCall): Promise<unknown>;
  /** Tests the connection without delivering anything, for `relay doctor`. May reject with `kit.fail`. Default: connects to a web address. */
  probe?(call: PluginProbe): Promise<readonly Finding[]>;
  /** Closes what `open` opened, after the last delivery of the config. */
  close?(): MaybePromise<void>;
  /** Whether it delivers the files of a field. Default: only names and sizes are delivered. */
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
/** The result of a submission. An outcome has everything that the response needs; features create their own. */
interface Outcome {
  /** For the log and metrics: `delivered`, `dropped`, `invalid`, … */
  readonly kind: string;
  readonly status: number;
  /** The error for the visitor. Absent if the response reports success. */
  readonly message?: Message;
  /** Replaces the form's confirmation after a success. */
  readonly says?: LocalizedText | Message | ((locale: Locale) => string);
  /** The form's `confirmation` and `redirect` for this submission. */
  readonly confirmation?: (locale: Locale) => string;
  readonly redirect?: (locale: Locale) => string;
  /** Fragments render the form again with the message, as for a challenge. */
  readonly showsForm?: true;
  /** Whether the form asks for more instead of reporting a mistake: the page's title then does not say "Error". */
  readonly isQuestion?: boolean;
  /** Invalid fields; the form is rendered again with them. */
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** A finished response that replaces the generated one, except for `headers`. */
  readonly answer?: RelayResponse;
  /** More members of a JSON response. */
  readonly json?: object;
  /** More markup of a fragment, below the message. */
  readonly html?: HtmlValue;
  /** The reason for the owner's log. Contains no submitted value. */
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
  /** The output's keys, including the common ones; invalid values are `undefined`. */
  readonly output: Partial<Parsed<K> & Common>;
  readonly fields: readonly Field[];
  readonly provided: Registered<Provided>;
}
interface OutputContext {
  readonly services: Services;
  readonly form: OutputForm;
}
/** Keys of all outputs or of some types, and their behaviour. */
interface OutputExtension<K extends Properties = Properties> {
  readonly name: string;
  readonly keys: K;
  /** The output types that have the keys. Default: all. */
  readonly types?: readonly string[];
  /** Compiles the keys of an output, once. `undefined` if the output does not use them. */
  configure(context: OutputConfig<K>, at: Diagnostics): OutputHooks | undefined;
}
/** The form as its outputs describe it: in its first language, whichever one the visitor chose. */
interface OutputForm {
  readonly id: string;
  readonly title: string | undefined;
  readonly fields: readonly Field[];
  readonly locale: Locale;
}
interface OutputHooks {
  readonly accepts?: (submission: Submission) => boolean;
  /** Wraps the transport, once; the wrapper is called for every attempt. */
  readonly wrapTransport?: (inner: Transport, context: OutputContext) => Transport;
  /** For archives (`folder` and `s3`): encodes each file, documents included, before it is stored. */
  readonly encoding?: FileEncoding;
}
interface OutputType<K extends Properties = Properties> {
  readonly type: string;
  /** The service's name, for people. Default: the type. */
  readonly title?: string;
  readonly summary: string;
  /** The keys of an example, for `relay init --output` and the studio: `{ url_env: 'CHAT_URL' }`. */
  readonly sample?: Readonly<Record<string, unknown>>;
  /** Names in other products, in lower case. Diagnostics suggest this type for them. */
  readonly aliases?: readonly string[];
  /** The keys in addition to the common ones. */
  readonly keys: K;
  /** Reports mistakes that involve several keys; invalid keys are `undefined`. */
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
/** The path of a value in a config: keys of maps, and 0-based positions in lists. */
type Path = readonly (string | number)[];
/** The data that an output sends: each key once, with its values in submitted order; keys sorted by code point. */
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
  /** A URL, or the keys `url` and `url_env` of an output. */
  readonly url: URL | string | Addressed;
  /** Appended to the path of `url`: `v1/messages`. */
  readonly path?: string;
  /** Appended to the query of `url`. */
  readonly query?: Readonly<Record<string, string>>;
  /** Not sent to another origin after a redirect. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The body: a value to write as JSON, the values of a form, or a text. */
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** The statuses that mean success. Default: all below 300, 302 and 303. */
  readonly accepts?: (status: number) => boolean;
  /** Evaluates a response with any status, including errors. */
  readonly judge?: (answer: PlainAnswer) => Verdict;
  /** A limit below the remaining time. */
  readonly timeoutMs?: number;
}
type Platform = 'node' | 'lambda' | 'workers';
interface Plugin {
  /** Unique in a relay. Messages about conflicts name it. */
  readonly name: string;
  /** A sentence for lists that says what it is for. Default: that of its first output or field. */
  readonly summary?: string;
  /** The versions of the interface that it supports, such as `^1.2`: 1.2 and later, below 2. Default: any. */
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
  /** Texts of message codes by language, for its own codes and others: `{en: {…}, de: {…}}`. */
  readonly messages?: Readonly<Record<string, Messages>>;
  /** Scripts of pages, by name (a-z, `_`): texts of modules that export `attach` (docs/plugins/pages.md). Forms with this `part` load them from `/api/v1/<name>.js`. */
  readonly scripts?: Readonly<Record<string, () => MaybePromise<string>>>;
  /** Commands of the program: `relay NAME`. */
  readonly commands?: readonly Command[];
  /** Checks of `relay doctor` in addition to its own. */
  readonly checks?: readonly Check[];
  /** The environment variables that it reads, with their documentation. */
  readonly variables?: Variables;
  /** Checks all forms together, without those that have mistakes. */
  readonly validate?: (forms: ReadonlyMap<string, Form>, at: Diagnostics) => void;
  /** Called once for each config that names it, before the previous life ends. */
  readonly start?: (life: Life) => void;
  /** Adds to the response of `/readyz`. */
  readonly readiness?: () => MaybePromise<Readiness | undefined>;
  /** Called with each submission and its outcome, just before the answer. */
  readonly observe?: Observer;
}
interface Plugin {
  /** Kinds of stores for `keep` and `counted_in`. */
  readonly stores?: readonly StoreType[];
}
interface PluginCall extends Call {
  /** Sends requests with the id of the delivery, within its timeout. */
  readonly http: Http;
}
interface PluginContext {
  readonly services: Services;
}
interface PluginDelivery {
  /** The same for every retry: an idempotency key. */
  readonly id: string;
  readonly formId: string;
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The result of `mapping` and `static`. */
  readonly payload: Payload;
  /** The payload for people: labels and words in the form's first language; all fields if there is no `mapping`. */
  readonly labelled: readonly FilledIn[];
  /** The submission as `write` formats it for a chat: title and rows as plain text, in which no line can be forged, shortened until `fits` accepts the result. `write` must escape them. */
  message<T>(write: (message: ReadableMessage) => T, options?: MessageOptions<T>): T;
  /** All submitted values. */
  readonly values: Values;
  readonly files: Files;
  /** Renders a key of the output. Rejects with `kit.fail` if a variable is not set and has no `default`. */
  template(template: Template): string;
}
/** A field type as written in a plug-in: an error may be a plain text. */
interface PluginField<K extends Properties = Properties> extends Omit<FieldType<K>, 'checkValue' | 'check'> {
  /** The error of one non-empty value. Default: the value must be one of those offered. */
  checkValue?(field: Declared<K>, value: string, submission: Submission): Message | string | undefined;
  /** The error of all values together. */
  check?(field: Declared<K>, values: readonly string[], submission: Submission): Message | string | undefined;
}
/** An output type as written in a plug-in. */
interface PluginOutput<K extends Properties = Properties> extends Omit<OutputType<K>, 'open'> {
  /** If `mapping` is not set, the output sends all fields, as messages do. */
  readonly sendsAll?: true;
  /** Sets up, once when the config loads, what all deliveries of an output share. */
  open(output: Parsed<K> & Common, context: PluginOutputContext): Opened;
}
interface PluginOutputContext {
  readonly form: OutputForm;
  /** The value of an environment variable. */
  env(name: string): string | undefined;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Whether this is a dry run, in which no data may leave the process. `http` already complies. */
  readonly isDryRun: boolean;
}
interface PluginProbe extends PluginCall, ProbeCall {
  /** Renders a key of the output, as if nothing had been submitted. */
  template(template: Template): string;
}
/** For example `{'script-src': ['https://challenges.cloudflare.com']}`. */
type PolicySources = Readonly<Record<string, readonly string[]>>;
interface ProbeCall extends Call {
  /** Whether the owner lets checks write test data and remove it again. */
  readonly writes: boolean;
}
type Properties = Readonly<Record<string, Property<unknown>>>;
interface Property<T> {
  readonly doc: string;
  readonly schema: Schema<unknown>;
  readonly isRequired?: true;
  /** The default, as written in a config. */
  readonly fallback?: string;
  /** Names for it in other products and languages: `words('success thank_you')`. */
  readonly aliases?: readonly string[];
  /** Never set; carries the type. */
  readonly '~type'?: T;
}
/** Objects that features provide in a form, by name. A plug-in declares the type of its own object for other plug-ins: `declare module '@form-relay/core/plugin' { interface Provided { places: Places } }`. */
interface Provided {}
interface Provided {
  /** For features with `reads: ['visitor_mail']`. */
  readonly visitor_mail: VisitorMails;
}
interface Provided {
  /** For features that declare `reads: ['shared_state']`. Not provided if the config has no store for counts (`counted_in`, or that of `keep`). */
  readonly shared_state: SharedState;
  /** For features that declare `reads: ['held']`. Not provided if the config has no `keep` at the top, or `keep` names a queue, which hides waiting deliveries. */
  readonly held: HeldSubmissions;
}
interface QueueCounts {
  /** Counts by form; all under an empty name if the store cannot tell forms apart. */
  readonly forms: ReadonlyMap<string, FormCounts>;
}
/** A queued delivery. Everything except `content` is unencrypted, and holds no submitted values. */
interface Queued {
  readonly id: string;
  readonly form: string;
  readonly output: QueuedOutput;
  /** Milliseconds since the epoch, like all times here. */
  readonly receivedAt: number;
  /** The base of the retry schedule. */
  readonly keptAt: number;
  readonly tries: number;
  readonly why: FailureReason | undefined;
  /** The submission, as the queue packs it. */
  readonly content: Uint8Array;
}
/** Identifies the output, even if its config changes before the delivery. */
interface QueuedOutput {
  /** The output's index among the `of` outputs of its form. */
  readonly place: number;
  readonly of: number;
  readonly type: string;
  /** A hash of the output's config without credentials. */
  readonly fingerprint: string;
}
/** The text is not escaped, because each service has its own markup. */
interface ReadableMessage {
  readonly title: string;
  /** Whether visitors can influence the title. */
  readonly isTitleSubmitted: boolean;
  readonly rows: readonly ReadableRow[];
  /** Lines at the end: how many rows are omitted, and the page with the form. */
  readonly notes: readonly string[];
}
interface ReadableRow {
  /** A single line. */
  readonly label: string;
  /** The label with a colon, unless it ends with punctuation. */
  readonly heading: string;
  readonly value: string;
  /** Whether the value is shown below its label, because it has several lines. */
  readonly isBlock: boolean;
  /** Label and value as one text: `Name: Ada`, or the label followed by indented lines. */
  readonly line: string;
}
/** Contains no names of forms and no values: `/readyz` is public. */
interface Readiness {
  readonly says: string;
  /** The response is 503 until all plug-ins were ready once; after that, 200 with `says`. */
  readonly isUnready?: boolean;
}
/** Values by the names of the features that made them. */
interface Registered<All> {
  get<N extends keyof All & string>(name: N): All[N] | undefined;
  /** In the order of the features, for objects that several features may provide. */
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
/** An API address that a feature serves: `/api/v1/<name>/{form}`. */
interface Route {
  readonly name: string;
  /** OPTIONS is always allowed; GET includes HEAD. */
  readonly method: 'GET' | 'POST' | 'GET, POST';
  readonly answer: (call: RouteContext) => MaybePromise<RelayResponse>;
}
interface RouteContext extends PluginContext {
  readonly request: RelayRequest;
  readonly form: Form;
  /** All forms of the config, by id: for calls to the address of one form that concern another. */
  readonly forms: ReadonlyMap<string, Form>;
  readonly requestId: string;
  /** Aborts when the time of the request is up. */
  readonly signal: AbortSignal;
  /** Sends requests within its time limit. */
  readonly http: Http;
  /** Responds with an outcome in the format that the client wants. */
  respond(outcome: Outcome): MaybePromise<RelayResponse>;
}
type Scalar = string | number | boolean | null;
/** Reads a value, or reports mistakes and returns `undefined`. */
interface Schema<T> {
  (value: unknown, at: Diagnostics): T | undefined;
  /** The kind of value, for editors. Default: any value. */
  readonly json?: JsonSchema | (() => JsonSchema) | undefined;
}
/** Resolves once the server has accepted the mail, or with the outcome for the visitor, for example if the address already got three within an hour. All checks must run earlier, so that bots cannot send mails to strangers. */
type SendVisitorMail = (submission: Submission, mail: {
  readonly button?: { readonly words: string; readonly href: string };
  readonly params?: Message['params'];
}) => Promise<Outcome | undefined>;
/** A file as received. The name is the browser's, without the path; the media type may be empty. Neither is verified. */
interface SentFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}
/** Everything outside the process. The core and plug-ins use nothing else, so that tests can control time and failures. */
interface Services {
  /** Plug-ins must store and count nothing outside these services. `delivering`: outputs deliver, so safeguards must run. */
  readonly isDryRun?: boolean | 'delivering';
  /** Milliseconds since the epoch. */
  now(): number;
  /** The value of a process environment variable, for `{{ env "NAME" }}`. */
  env(name: string): string | undefined;
  uuid(): string;
  /** Uniformly distributed, from 0 up to but not including 1. */
  random(): number;
  sleep(ms: number): Promise<void>;
  log: Log;
}
/** Results of features for their top-level keys in the config (`configureTop`), declared as in `Provided`. */
interface Shared {}
/** Entries of a form by key, in the store for counts. All relays that share the store change an entry one after another. A key starts with the name of the feature. Methods reject if the store fails; a dry run uses memory instead. */
interface SharedState {
  /** @param by The submission, the call of a route, the view of a form, or the life of the plug-in. */
  read(by: { readonly services: Services }, key: string): Promise<StateEntry | undefined>;
  /** Replaces an entry by the result of `make`; `undefined` removes it. `make` gets the current entry, and is called again if another process has changed the entry in the meantime. Resolves with the new entry once that is durable. */
  change(by: { readonly services: Services }, key: string, make: (entry: StateEntry | undefined) => StateEntry | undefined): Promise<StateEntry | undefined>;
}
/** Gives a signal the types of its keys. */
declare const signal: <K extends Properties>(definition: SignalType<K>) => SignalType;
interface SignalContext {
  /** Sends requests within the time limit of the signal. A dry run sends none, and reports what the server would get. */
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
  /** Submitted values of names that the form knows. */
  readonly values: Values;
  /** The request's headers, with names in lower case. `undefined` if unknown. */
  readonly headers: Readonly<Record<string, string | undefined>> | undefined;
  /** The sender's IP address; `undefined` if unknown. Plug-ins do not get addresses of private networks. */
  readonly address: string | undefined;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}
/** The evidence of a signal against a submission. */
interface SignalScore {
  /** Above 0, and at most 1: the share of its weight that counts. */
  readonly score: number;
  /** In words for the owner, such as `3 links`: numbers, and names from the config. Never submitted values. */
  readonly why: string;
}
/** A signal of the spam score. A form counts it if its `signals`, or those at the top, name it. Together, the signals of plug-ins count at most half of `drop`. */
interface SignalType<K extends Properties = Properties> {
  /** The key under `signals`. In mails, the message `signal_NAME` says what the signal found. */
  readonly name: string;
  /** A sentence for the owner: what it looks for, and which data it sends where. */
  readonly summary: string;
  /** The maximum of points, unless the config sets another. */
  readonly weight: number;
  /** The keys besides `weight`. */
  readonly keys?: K;
  /** An example map of its keys, for a signal that requires keys. Default: a number is enough. */
  readonly example?: string;
  /** The environment variables without which it finds nothing. */
  needs?(keys: Parsed<K>): readonly string[];
  /** Evidence against a submission, within 1.5 s; `undefined` if there is none. A rejection, such as of `http`, counts as no evidence, and is logged (`service_silent`). */
  score(keys: Parsed<K>, input: SignalInput, context: SignalContext): MaybePromise<SignalScore | undefined>;
}
type Size = { readonly bytes: number };
/** Any other value that `Intl` formats. The function gets BCP 47 tags in order of preference. */
type Spelled = { readonly spell: (locales: readonly string[]) => string };
interface StateEntry {
  /** A few KB at most, because all entries of a form share 256 texts of 300 KB. */
  readonly text: string;
  /** When it expires, in milliseconds since the epoch. */
  readonly until: number;
}
interface Store {
  readonly leases?: Leases;
  readonly counts?: Counts;
  /** Checks whether the store works, for `relay doctor` and at startup. */
  probe(signal: AbortSignal): Promise<readonly Finding[]>;
  /** Remedies for failures, by `code`; `other` is for all other failures. */
  readonly remedies?: Remedies;
  /** Sets up what the store needs, if the relay may. Returns what was done, in words. */
  setUp?(): Promise<readonly string[]>;
  /** Returns its leases. */
  close(): Promise<void>;
}
interface StoreContext extends Pick<Services, 'env' | 'now'> {
  /** Encodes an entry as bytes, to be stored unchanged. */
  encode(entry: Queued): Uint8Array;
  /** Decodes an entry; if the bytes are damaged, returns what is left, with `isDamaged`. */
  decode(bytes: Uint8Array, known: Pick<Queued, 'id' | 'form' | 'keptAt'>): Pick<Lease, 'kept' | 'isDamaged'>;
  /** Creates a lease book for the store, which renews leases, settles each one once, and returns them on close. */
  leaseBook<T extends object>(rules: LeaseRules<T>): LeaseBook<T>;
}
/** A kind of store (docs/plugins/stores.md). */
interface StoreType {
  /** The schemes of its addresses, in lower case: `redis` for `keep: {in: redis://host}`. Empty if an address is a path. */
  readonly schemes: readonly string[];
  /** An example address, for messages about mistakes. Default: derived from the first scheme. */
  readonly example?: string;
  /** The kinds of entries that it can store. Default: only deliveries. */
  readonly holds?: readonly Held[];
  /** The mistake in an address, in words for its owner; `undefined` if the address is valid. */
  problem?(address: string): string | undefined;
  /** Opens the store at an address. Must not connect or read before the store is used. */
  open(address: string, context: StoreContext): Store | Promise<Store>;
}
/** A submission in the pipeline of its form. Features may set members that are not `readonly`. */
interface Submission {
  readonly form: Form;
  readonly formId: string;
  /** Outputs get this id and time. A submission that is sent again may keep those of its first attempt. */
  requestId: string;
  /** In milliseconds since the epoch. */
  receivedAt: number;
  /** When all its timeouts end, in milliseconds since the epoch. */
  readonly deadline: number;
  readonly request: RelayRequest;
  readonly services: Services;
  /** Aborts when its time is up: the visitor sees an error, and nothing may be delivered afterwards. */
  readonly signal: AbortSignal;
  /** Sends requests within its time limit. The submission then counts for limits, whatever its outcome (`countAlways`). */
  readonly http: Http;
  /** The client, as reported by the proxies. */
  readonly client: Client;
  /** Whether a server with a key of the form sent it, which skips features that are `browsersOnly`. Set in `onRequest`. */
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
  /** Set only in dry runs, so explanations cost nothing otherwise: `trace?.note(…)`. */
  readonly trace: Trace | undefined;
  /** Logs an event about it, with its ids and its form. `fields` contain no submitted value. */
  log(level: LogLevel, event: string, fields?: object): void;
  /** Adds members to its line in the log. The members contain no submitted value. */
  addLogFields(fields: Readonly<Record<string, unknown>>): void;
  /** Runs work after the response if the process continues, and before it otherwise (Lambda). */
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
  /** In UTC, as in RFC 3339. */
  readonly submittedAt: string;
  env(name: string): string | undefined;
}
interface Test {
  readonly field: string;
  readonly test: keyof typeof opposites;
  /** The canonical texts, the number, the day or time, or the regular expression to compare values with. */
  readonly values: readonly string[];
  /** Matches in linear time. Default: the engine of the browser. */
  readonly matches?: (value: string) => boolean;
}
/** Text as written. */
declare const text: () => Schema<string>;
/** `{name}` is a parameter. Plural texts have a form for each category of CLDR; the parameter `count` selects it. */
type Text = string | ({ readonly count: string; readonly other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);
/** The context of features for their top-level keys. */
interface TopContext {
  /** The forms, without parts that could not be read, with their keys as schemas read them. */
  readonly forms: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** For warnings about the environment. */
  readonly services: Pick<Services, 'env'>;
  messagesIn(language: string): Messages;
}
/** The decision of each feature about a submission in a dry run, in order: for `relay explain` and the studio. */
declare class Trace {
  /** Explains the decision of the feature that is running, in words for the owner. */
  note(words: string): void;
}
/** Renders a message as plain text. A missing parameter renders empty, an unknown code as `try_again`. */
type Translate = (message: Message) => string;
interface Transport {
  /** Delivers once. Resolves with a warning for the owner, if any; rejects with a `ClientError` if the receiver did not accept it, or may not have. */
  send(delivery: Delivery, call: Call): Promise<string | undefined>;
  /** The destination for its owner, such as `https://crm.example.com/leads`. Contains no credentials. */
  readonly target?: string;
}
type Typed = Lengths & Pick<Field, 'name' | 'placeholder' | 'autocomplete'>;
/** Why the sender of a request is unknown. `network`: the private network that the request comes from. */
type UnknownClient = { readonly why: 'no_peer' | 'proxy_silent' } | { readonly why: 'proxy_unlisted'; readonly network: string };
/** An accepted file. The name is safe anywhere: never empty, without a path, controls or reserved names, and at most 200 bytes. The type is detected from the bytes. */
type UploadedFile = SentFile;
declare const url: () => Schema<URL>;
/** All values of a body or query by field name, in the order sent. A map rather than an object, so that no name is special (`__proto__`). */
type Values = ReadonlyMap<string, readonly string[]>;
interface Variable<T> {
  readonly name: string;
  readonly doc: string;
  readonly fallback?: string;
  /** Parses the value, or returns what was expected. */
  readonly read: (text: string) => Result<T, string>;
  /** Whether it holds a secret of the relay, which must not be an ARN. */
  readonly isSecret?: true;
}
type Variables = Readonly<Record<string, Variable<unknown>>>;
/** A service's own report on a request. */
interface Verdict {
  /** Whether the service accepted the request, according to a successful response. Default: yes. */
  readonly isTaken?: boolean;
  /** The service's error code, such as `chat_not_found`, for the log. Never a text, which could repeat a submitted value. */
  readonly code?: unknown;
  /** The wait before the next attempt, in milliseconds. By default, the relay reads `Retry-After`. */
  readonly afterMs?: number | undefined;
  /** Whether another attempt may succeed. Default: according to the status, or yes if there is a wait. */
  readonly isPassing?: boolean;
}
/** A text under a key, and the version that was read. */
interface Versioned {
  /** The text; `undefined` if there is none yet. */
  readonly text: string | undefined;
  /** An opaque value, which only its store understands. */
  readonly version: string;
}
/** Sends mails that visitors wait for, such as one with a link. */
interface VisitorMails {
  /** Prepares a mail to the address in a field. Reads the keys of `verification_mail` at `at`, and reports mistakes. Without `subject` and `text`, the mail uses the texts with the codes `<name>_subject` and `<name>_text`, with `form` and `params`.  @param to The name of a field of type `email`. */
  open(name: string, to: string, at: Diagnostics): SendVisitorMail | undefined;
}
/** A duration, written in whole minutes or hours. */
type Wait = { readonly seconds: number };
/** Provided by a feature that counts submissions. */
interface Withdrawing {
  /** Uncounts a submission that was accepted and withheld, but will not be delivered. */
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
