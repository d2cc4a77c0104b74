// The interface for plug-ins, version 1.0. `npm run interface` writes this file.
declare class ClientError extends Error {
  name: string;
  readonly code: string;
  readonly params: object;
  readonly retryAfterMs: number | undefined;
  readonly isUnsent: boolean;
  readonly isLasting: boolean;
  constructor(message: string, options?: Retry & {
    readonly code?: string;
    readonly params?: object;
  });
}
declare class Diagnostics {
  readonly path: Path;
  readonly report: Report;
  constructor(path?: Path, report?: Report);
  get isPlain(): boolean;
  get mistakes(): readonly Diagnostic[];
  get isWrong(): boolean;
  get written(): unknown;
  fromTop(...path: Path): Diagnostics;
  in(...steps: Path): Diagnostics;
  error(message: string, about?: About): undefined;
  warning(message: string, about?: About): undefined;
  found(value: unknown, instead: string, about?: About): undefined;
  needsEnv(...names: readonly string[]): void;
  usesEnv(...names: readonly string[]): void;
}
declare class Html {
  #private;
  private constructor();
  toString(): string;
  static of(value: HtmlValue): string;
  static tag(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html;
  static attributes(attributes: Readonly<Record<string, string | number | boolean | undefined>> | false): Html;
  static withoutBraces(markup: Html): Html;
  static dataOnLines(markup: Html): Html;
}
declare class Report {
  #private;
  readonly env: EnvUse[];
  readonly errors: Diagnostic[];
  readonly warnings: Diagnostic[];
  readonly localized: Localized[number][];
  plain: ((path: Path) => boolean) | undefined;
  needsPlain: boolean;
  readField?: Schema<unknown>;
  readonly written: unknown;
  readonly texts: TextsRead | undefined;
  constructor(written?: unknown, texts?: TextsRead);
  localizedIn(around: Path): Localized;
}
declare class Template implements Readonly<Record<Mentioned, Names>> {
  readonly source: string;
  readonly content: string | Read<string>;
  readonly fieldNames: Names;
  readonly envNames: Names;
  readonly neededEnvNames: Names;
  readonly defaults: Names;
  readonly pagePaths: Names;
  readonly unknownPaths: Names;
  constructor(source: string, content: string | Read<string>, mentions?: Partial<Record<Mentioned, Names>>);
  render(context: TemplateContext): string;
  get isSubmitted(): boolean;
}
declare class Trace {
  readonly steps: TraceStep[];
  readonly mailTargets: Map<string, string>;
  enter(feature: string): void;
  pass(feature: string): void;
  note(words: string): void;
  detail(members: Readonly<Record<string, unknown>>): void;
}
declare const array: <T>(item: Schema<T>, { least }?: {
  least?: number | undefined;
}) => Schema<readonly T[]>;
declare const boolean: () => Schema<boolean>;
declare const command: <const A extends Properties = Record<never, never>, const O extends Properties = Record<never, never>>(definition: Omit<Command, 'arguments' | 'options' | 'run'> & {
  readonly arguments?: A;
  readonly options?: O;
  run?(given: Parsed<A> & Parsed<O>, context: CommandContext): Promise<unknown>;
}) => Command;
declare const commonKeys: {
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
declare const commonKeys: {
  on_error: Property<"continue" | "fail">;
  mapping: Property<"*" | ReadonlyMap<string, string> | undefined>;
  static: Property<ReadonlyMap<string, Template> | undefined>;
  retries: Property<number>;
  timeout: Property<number>;
};
declare const domainOf: (address: string) => string;
declare const dropped: (by: string, why: string, code?: string) => Outcome;
declare const duration: ({ leastMs, mostMs, hasDays }?: {
  hasDays?: boolean | undefined;
  leastMs?: number | undefined;
  mostMs?: number | undefined;
}) => Schema<number>;
declare const emailAddress: () => Schema<string>;
declare const fail: (why: string, more?: AuthorsFailure) => ClientError;
declare const feature: <K extends FeatureKeys, const N extends string>(definition: Feature<K, N>) => Feature;
declare const fieldExtension: <K extends Properties>(definition: FieldExtension<K>) => FieldExtension;
declare const fieldType: <K extends Properties>(definition: FieldType<K>) => FieldType;
declare const firstValue: (values: Values, field: string) => string;
declare const guard: (check: (submission: Submission) => MaybePromise<Outcome | undefined>) => Middleware;
declare const html: typeof Html.tag, attributes: typeof Html.attributes, withoutBraces: typeof Html.withoutBraces, dataOnLines: typeof Html.dataOnLines;
declare const httpUrl: () => Schema<URL>;
declare const kit: {
  key: {
    text: typeof text;
    template: typeof template;
    number: typeof number;
    whole: (limits?: {
      readonly least?: number;
      readonly most?: number;
    }) => Schema<number>;
    boolean: typeof boolean;
    duration: typeof duration;
    size: typeof size;
    url: typeof url;
    httpUrl: typeof httpUrl;
    address: typeof emailAddress;
    oneOf: typeof oneOf;
    list: typeof array;
    map: typeof record;
    block: typeof object;
    secret: typeof secret;
    required: typeof required;
    optional: typeof optional;
    withDefault: typeof withDefault;
  };
  output: typeof pluginOutput;
  field: typeof fieldType;
  feature: typeof feature;
  store: <T extends NonNullable<Plugin['stores']>[number]>(definition: T) => T;
  command: typeof command;
  check: (definition: Check) => Check;
  extension: {
    field: typeof fieldExtension;
    output: typeof outputExtension;
  };
  retry: typeof retry;
  fail: typeof fail;
  refused: (status: number, why: string | readonly FieldError[], params?: Params) => Outcome;
  dropped: typeof dropped;
  answered: (kind: string, answer: RelayResponse) => Outcome;
  guard: typeof guard;
  onOutcome: typeof onOutcome;
  html: {
    tag: typeof Html.tag;
    text: typeof withLinks;
    input: typeof input;
    choices: typeof choiceGroup;
    attributes: (field: Pick<Field, 'name'>, state: ControlState) => Html;
  };
  message: (code: string, params?: Params) => Message;
  problem: (field: string, code: string, params?: Params, at?: number) => FieldError;
  values: {
    first: typeof firstValue;
    all: (values: Values, field: string) => readonly string[];
    lines: (payload: Payload) => readonly string[];
    size: typeof sizeInWords;
  };
  address: {
    parse: typeof parseAddress;
    domain: typeof domainOf;
    same: (one: string, other: string) => boolean;
  };
  time: {
    inWords: typeof timeInWords;
    moment: typeof momentWords;
    isZone: typeof isTimeZone;
  };
  seal: (secret: string, use: string, text: string) => string;
  unseal: (secret: string, use: string, sealed: string) => string | undefined;
  sign: (secret: string, use: string, text: string) => string;
  verify: (secret: string, use: string, text: string, signature: string) => boolean;
  version: string;
  destination: {
    keys: {
      url: Property<URL | undefined>;
      url_env: Property<string | undefined>;
    };
    check: typeof addressProblems;
  };
};
declare const momentWords: (at: number, timeZone?: string) => {
  spell: ([language, ...others]: readonly string[]) => string;
};
declare const object: <K extends Properties>(keys: K, example?: string, check?: (read: Partial<Parsed<K>>, at: Diagnostics) => void) => Schema<Parsed<K>>;
declare const onOutcome: (look: (outcome: Outcome, submission: Submission) => MaybePromise<Outcome>) => Middleware;
declare const oneOf: <const T extends string>(options: readonly T[]) => Schema<T>;
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
declare const outputExtension: <K extends Properties>(definition: OutputExtension<K>) => OutputExtension;
declare const pluginOutput: <K extends Properties>(definition: PluginOutput<K>) => OutputType;
declare const record: <T>(item: Schema<T>, keyProblem?: (key: string, earlier: ReadonlyMap<string, T>) => string | undefined, example?: string) => Schema<ReadonlyMap<string, T>>;
declare const retry: (why: string, { afterMs, ...more }?: AuthorsFailure & {
  readonly afterMs?: number;
}) => ClientError;
declare const secret: (variable?: string) => Schema<Template>;
declare const settingVariables: {
  configInline: Variable<string | undefined>;
  configFile: Variable<string | undefined>;
  configBucket: Variable<string | undefined>;
  configBucketRegion: Variable<string | undefined>;
  configKey: Variable<string>;
  cacheTtlMs: Variable<number | undefined>;
  plugins: Variable<readonly string[]>;
  mailFromAddress: Variable<string | undefined>;
  smtpEhloName: Variable<string | undefined>;
  formTokenSecret: Variable<string>;
  allowedOrigins: Variable<"*" | ReadonlySet<string>>;
  publicUrl: Variable<string | undefined>;
  trustedProxies: Variable<readonly Network[] | undefined>;
  proxyHeader: Variable<"forwarded" | "x-forwarded-for">;
  logLevel: Variable<"error" | "info" | "warn">;
  throttleRate: Variable<number>;
  throttleBurst: Variable<number>;
  connectionLimit: Variable<number>;
  clientConnectionLimit: Variable<number>;
  bodyBytesLimit: Variable<number>;
  uploadBudget: Variable<number>;
  submissionLimit: Variable<number>;
  host: Variable<string>;
  port: Variable<number>;
  reusePort: Variable<boolean>;
  metricsPort: Variable<number | undefined>;
  metricsHost: Variable<string | undefined>;
};
declare const size: ({ leastBytes }?: {
  leastBytes?: number | undefined;
}) => Schema<number>;
declare const template: () => Schema<Template>;
declare const text: () => Schema<string>;
declare const url: () => Schema<URL>;
declare function addressProblems({ url, url_env }: Addressed, at: Diagnostics, wanted?: 'url' | 'url_env'): void;
declare function choiceGroup(type: 'radio' | 'checkbox', name: string, options: readonly {
  readonly value: string;
  readonly label: HtmlValue;
  readonly disabled?: true;
}[], state: ControlState): Html;
declare function decodeEntry(bytes: Uint8Array, known: Pick<Queued, 'id' | 'form' | 'keptAt'>): Pick<Lease, 'kept' | 'isDamaged'>;
declare function encodeEntry(kept: Queued): Uint8Array;
declare function input(type: string, field: Typed, state: ControlState, more?: More): Html;
declare function isTimeZone(name: string): boolean;
declare function number({ least, most, whole }?: {
  least?: number | undefined;
  most?: number | undefined;
  whole?: boolean | undefined;
}): Schema<number>;
declare function optional<T>(doc: string, schema: Schema<T>, more?: More): Property<T | undefined>;
declare function parseAddress(text: string): string | undefined;
declare function required<T>(doc: string, schema: Schema<T>, more?: More): Property<T>;
declare function sizeInWords(bytes: number): string;
declare function timeInWords(ms: number): string;
declare function withDefault<T>(fallback: string | number | boolean, doc: string, schema: Schema<T>, more?: More): Property<T>;
declare function withLinks(text: string): Html;
interface Addressed {
  readonly url?: URL | undefined;
  readonly url_env?: string | undefined;
}
interface AuthorsFailure {
  readonly code?: string;
}
interface Aws {
  readonly account: AwsAccount;
  readonly http: BytesClient;
  readonly now: () => number;
}
interface AwsAccount {
  credentials(): Promise<AwsCredentials>;
  region(preferred?: string): Promise<string>;
  endpoint(service: AwsServiceId): string | undefined;
}
interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}
interface Begun {
  readonly step: Handler;
  readonly outcome: MaybePromise<Outcome>;
  readonly before: Begun | undefined;
}
interface BodyParser {
  readonly mediaType: string;
  readonly maxBytes: number;
  readonly parse: (body: Uint8Array, contentType: string) => MaybePromise<ParsedBody | Outcome>;
  readonly isForServers?: true;
}
interface Bucket {
  readonly bucket: string;
  readonly prefix: string;
}
interface BytesAnswer extends Omit<HttpAnswer, 'body' | 'isCut'> {
  readonly body: Buffer;
  readonly isCut: boolean;
}
interface BytesRequest extends HttpRequest {
  readonly method: HttpMethod;
  readonly limitBytes: number;
  readonly isStatusEnough?: boolean;
}
interface Call {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}
interface Card {
  readonly name: string;
  readonly says: string;
  readonly withoutBrowser?: string;
}
interface Check {
  readonly name: string;
  probe(context: CheckContext): Promise<readonly Finding[]>;
}
interface CheckContext {
  readonly config: Config | undefined;
  readonly env: Environment;
  readonly http: Http;
  readonly now: () => number;
  readonly writes: boolean;
  readonly signal: AbortSignal;
}
interface Command {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly description?: string;
  readonly arguments?: Properties;
  readonly options?: Properties;
  readonly examples?: readonly (readonly [line: string, says: string])[];
  readonly notes?: string;
  readonly commands?: readonly Command[];
  run?(given: Readonly<Record<string, unknown>>, context: CommandContext): Promise<unknown>;
}
interface CommandContext {
  readonly calledAs: string;
  readonly configOption: string | undefined;
  readonly env: Environment;
  config(): Promise<Config>;
  tryConfig(): Promise<Result<Config, string>>;
  relay(): Promise<OwnRelay>;
  read(path: string): Promise<Buffer>;
  ask(question: string, screen?: NodeJS.WriteStream): Promise<boolean>;
  print(text: string): void;
  fail(says: string): Error;
  misuse(says: string): Error;
}
interface Config {
  readonly cacheTtlMs: number;
  readonly forms: ReadonlyMap<string, Form>;
  readonly shared: Registered<Shared>;
  readonly env: readonly EnvUse[];
}
interface ControlState {
  readonly locale: Locale;
  readonly id: string;
  readonly values: readonly string[];
  readonly required: boolean;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
  readonly autofocus: boolean;
  readonly classes: Classes;
  readonly dir: 'auto' | undefined;
  readonly inputs: readonly Field[];
  render(input: Field): Html;
  readonly attributes?: Readonly<Record<string, string | undefined>> | undefined;
}
interface Counts {
  read(key: string, timeoutMs: number): Promise<Versioned>;
  recall?(key: string): Versioned | undefined;
  write(key: string, text: string, read: Versioned, timeoutMs: number): Promise<boolean>;
  remove(key: string, timeoutMs: number): Promise<void>;
}
interface CurrentConfig {
  forms(): MaybePromise<ReadonlyMap<string, Form> | undefined>;
  readonly state: ConfigState;
}
interface Delivery {
  readonly id: string;
  readonly requestId: string;
  readonly formId: string;
  readonly receivedAt: number;
  readonly values: Values;
  readonly payload: Payload;
  readonly templateContext: TemplateContext;
  readonly files: Files;
  readonly warn?: (reason: string) => void;
  readonly undeclared?: Values;
  readonly titlePrefix?: string;
  readonly remarks?: readonly Remark[];
  readonly mail?: MailParts | undefined;
  readonly request?: RequestParts | undefined;
}
interface DeliveryResult {
  readonly output: number;
  readonly type: string;
  readonly outcome: string;
  readonly tries: number;
  readonly ms: number;
  readonly reason?: string;
  readonly error?: ClientError | 'internal_error' | 'unregistered_type';
}
interface Diagnostic {
  readonly path: Path;
  readonly message: string;
  readonly code?: string | undefined;
  readonly mayPass?: boolean | undefined;
  readonly aboutKey?: boolean | undefined;
  readonly within?: (Place & {
    readonly of: string;
  }) | undefined;
  readonly suggestion?: string | undefined;
  readonly word?: string | undefined;
  readonly meantAs?: Path | undefined;
  readonly options?: readonly Named[] | undefined;
  readonly fix?: Fix | undefined;
  readonly unknownKey?: {
    readonly known: Properties;
    readonly map: object;
  } | undefined;
}
interface EnvUse {
  readonly name: string;
  readonly path: Path;
  readonly isNeeded: boolean;
}
interface FailureReason {
  readonly code: string;
  readonly words: string;
}
interface Feature<K extends FeatureKeys = FeatureKeys, N extends string = string> {
  readonly name: N;
  readonly after?: readonly string[];
  readonly before?: readonly string[];
  readonly keys?: K;
  configureTop?(top: Partial<ParsedAt<K, 'top'>>, at: Diagnostics, context: TopContext): MaybePromise<Of<Shared, N> | undefined>;
  completeFields?(context: FormConfig<K, N>, at: Diagnostics): void;
  configure(context: FormConfig<K, N>, at: Diagnostics): Hooks<N> | undefined;
  readonly routes?: readonly Route[];
}
interface FeatureKeys {
  readonly form?: Properties;
  readonly spam?: Properties;
  readonly top?: Properties;
  readonly sharedSpam?: Properties;
}
interface Field extends Omit<Parsed<typeof commonKeys>, 'label'>, Pick<FieldType, 'type' | 'shape' | 'isReentered' | 'script' | 'part'> {
  readonly label?: LocalizedText | Message | undefined;
  readonly layout: Layout;
  readonly missing: Message;
  readonly hint: Message | readonly Message[] | undefined;
  readonly options?: readonly Option[] | undefined;
  readonly offered: readonly string[] | undefined;
  readonly accepted?: readonly string[] | undefined;
  readonly takesSeveral: boolean;
  readonly takesOne: boolean;
  readonly normalize?: ((sent: Values) => readonly string[] | undefined) | undefined;
  readonly comparedAs: Kind;
  canonical(value: string): string;
  readonly wanted?: ((value: string, isPart: boolean) => string | undefined) | undefined;
  check(values: readonly string[], submission: Submission): FieldError | undefined;
  readonly store?: ((value: string, submission: Submission) => string) | undefined;
  readonly samples?: ((now: number) => readonly (readonly string[])[] | undefined) | undefined;
  words(values: readonly string[], locale: Locale, label?: string): readonly string[];
  json(values: readonly string[]): unknown;
  readonly inputs?: Inputs | undefined;
  readonly takeFiles: ((sent: readonly SentFile[], names: Set<string>) => TakenFiles) | undefined;
  readonly isClosedToLinks?: true | undefined;
  readonly owner?: Labelled | undefined;
  readonly path?: readonly (string | number)[] | undefined;
  readonly isLenient?: boolean | undefined;
  readonly width?: 'full' | 'half' | 'third' | 'two_thirds' | undefined;
  readonly classes?: Classes | undefined;
  readonly min_length?: number | undefined;
  readonly max_length?: number | undefined;
  readonly attributes?: ((locale: Locale) => Readonly<Record<string, string | undefined>>) | undefined;
  readonly ownWords?: ((error: Message, locale: Locale) => string | undefined) | undefined;
  control(state: ControlState): Html;
  withKeys(keys: Partial<Omit<Field, 'type'>> & Readonly<Record<string, unknown>>): Field;
}
interface FieldCard {
  readonly title: string;
  readonly purpose: 'Text' | 'Choice' | 'Date and number' | 'Files' | 'Layout';
  readonly words: string;
  readonly sample?: Readonly<Record<string, unknown>>;
  readonly idleKeys?: readonly string[];
}
interface FieldError extends Message {
  readonly field: string;
  readonly at?: number | undefined;
  readonly pointer?: string | undefined;
}
interface FieldExtension<K extends Properties = Properties> {
  readonly name: string;
  readonly keys: K;
  readonly types?: readonly string[];
  configure(field: Field & Partial<Parsed<K>>, at: Diagnostics): FieldHooks | undefined;
}
interface FieldHooks extends Partial<Pick<Field, 'comparedAs' | 'canonical' | 'normalize' | 'store' | 'words'>>, Partial<Pick<Field, 'samples' | 'control' | 'attributes'>> {
  readonly check?: (values: readonly string[], submission: Submission) => Message | undefined;
}
interface FieldRead {
  readonly name: string;
  readonly path: Path;
}
interface FieldType<K extends Properties = Properties> {
  readonly type: string;
  readonly summary: string;
  readonly aliases?: readonly string[];
  readonly formerly?: string;
  samples?(field: Declared<K>, now: number): readonly (readonly string[])[] | undefined;
  readonly card?: FieldCard;
  readonly keys: K;
  problems?(field: Partial<Declared<K>>, at: Diagnostics): void;
  readonly layout?: Layout;
  readonly missing?: string | MessageFor<Declared<K>>;
  hint?(field: Declared<K>): Message | readonly Message[] | undefined;
  offered?(field: Declared<K>): readonly string[];
  takesSeveral?(field: Declared<K>): boolean;
  takesOne?(field: Declared<K>): boolean;
  normalizeValue?(field: Declared<K>, value: string): string;
  readonly comparedAs?: Kind;
  canonical?(field: Declared<K>, value: string): string;
  checkValue?(field: Declared<K>, value: string, submission: Submission): Message | undefined;
  check?(field: Declared<K>, values: readonly string[], submission: Submission): Message | undefined;
  store?(field: Declared<K>, value: string, submission: Submission): string;
  words?(field: Declared<K>, values: readonly string[], locale: Locale, label?: string): readonly string[];
  readonly shape?: 'list' | 'block';
  json?(field: Declared<K>, values: readonly string[]): unknown;
  inputs?(field: Declared<K>): Inputs;
  takeFiles?(field: Declared<K>, sent: readonly SentFile[], names: Set<string>): TakenFiles;
  readonly isReentered?: true;
  readonly script?: Html;
  readonly part?: string;
  control(field: Declared<K>, state: ControlState): Html;
}
interface FinalAnswer extends HttpAnswer {
  readonly from: URL;
  readonly isElsewhere: boolean;
  readonly isCompressed: boolean;
}
interface Finding {
  readonly level: 'ok' | 'warning' | 'failure';
  readonly subject?: string;
  readonly says: string;
  readonly remedy?: string;
}
interface Form {
  readonly id: string;
  readonly title: LocalizedText | undefined;
  readonly confirmation: LocalizedText | undefined;
  readonly submitLabel: LocalizedText | undefined;
  readonly fields: readonly Field[];
  readonly inputs: readonly Field[];
  readonly notes: readonly Note[];
  readonly outputs: readonly FormOutput[];
  readonly locale: (request: RelayRequest | undefined) => Locale;
  readonly provided: Registered<Provided>;
}
interface FormConfig<K extends FeatureKeys = FeatureKeys, N extends string = string> {
  readonly formId: string;
  readonly form: Partial<ParsedAt<K, 'form'>>;
  readonly spam: Partial<ParsedAt<K, 'spam'> & ParsedAt<K, 'sharedSpam'>>;
  readonly topSpam: Partial<ParsedAt<K, 'sharedSpam'>>;
  readonly top: Partial<ParsedAt<K, 'top'>>;
  readonly shared: Of<Shared, N> | undefined;
  readonly sharedBy: Registered<Shared>;
  readonly fields: readonly Field[];
  readonly outputTypes: readonly string[];
  readonly now: number;
  readonly notes: Form['notes'];
  pathOf(field: Pick<Field, 'name'>): Path;
  readonly provided: Registered<Provided>;
  readonly localized: Report['localized'];
  messagesIn(language: string): Messages;
}
interface FormCounts {
  readonly due: number;
  readonly aside: number;
  readonly oldestKeptAt: number | undefined;
}
interface FormMarkup {
  readonly before?: HtmlValue;
  readonly inputs?: HtmlValue;
  readonly challenge?: HtmlValue;
  readonly scripts?: readonly Html[];
  readonly part?: string;
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  readonly note?: (text: string) => HtmlValue;
  readonly rows?: (fields: readonly HtmlValue[]) => readonly HtmlValue[];
  readonly runs?: (fields: readonly HtmlValue[]) => readonly HtmlValue[];
  readonly sources?: PolicySources;
  readonly isUnstored?: true;
  readonly isMultipart?: true;
}
interface FormOutput extends Common {
  readonly type: string;
  readonly target: string | undefined;
  readonly condition: Condition | undefined;
  readonly timeoutMs: number;
  readonly isArchive: boolean;
}
interface FormToken extends Required<Pick<TokenUse, 'field' | 'ttlMs' | 'minFillMs'>> {
  readonly extras: readonly NonNullable<TokenUse['extras']>[];
  issue(request: TokenRequest, waitedMs?: number): IssuedToken;
  waitedMs(request: TokenRequest): number;
}
interface FormView {
  readonly form: Pick<Form, 'id' | 'notes' | 'provided'>;
  readonly locale: Locale;
  readonly medium?: 'page' | 'script' | undefined;
  readonly hasHeading?: boolean;
  readonly classes?: Classes;
  readonly locked?: ReadonlySet<string> | undefined;
  readonly messages?: readonly HtmlValue[];
  readonly isLoaded?: boolean;
  readonly query?: string;
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  readonly parts?: readonly string[] | undefined;
  readonly fields: readonly Field[];
  readonly base: string;
  readonly values: Values;
  readonly sent: Values | undefined;
  readonly outcome?: Outcome | undefined;
  readonly request?: RelayRequest | undefined;
  readonly now: number | undefined;
  readonly settings: Settings | undefined;
  readonly services: Services | undefined;
}
interface HandedMessage {
  readonly id: string;
  readonly receipt: string;
  readonly body: string;
}
interface Hooks<N extends string = string> {
  readonly reserves?: readonly {
    readonly name: string;
    readonly key: readonly (string | number)[];
    readonly what?: string;
    readonly sample?: string;
  }[];
  readonly bodies?: readonly BodyParser[];
  readonly onRequest?: Middleware;
  readonly beforeValidation?: Middleware;
  readonly check?: (field: Field, sent: Values, shown: Form['fields'], by: Submission) => Message | undefined;
  readonly afterValidation?: Middleware;
  readonly aroundDelivery?: Middleware;
  readonly browsersOnly?: true;
  readonly view?: (view: FormView) => MaybePromise<FormView | Outcome>;
  readonly markup?: (view: FormView) => FormMarkup;
  readonly cards?: readonly Card[];
  readonly close?: () => MaybePromise<void>;
  readonly provides?: Of<Provided, N>;
}
interface Http {
  send(request: PlainRequest): Promise<PlainAnswer>;
}
interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly isCut?: boolean | undefined;
  readonly isEarly?: boolean;
  readonly remoteAddress?: string | undefined;
}
interface HttpRequest {
  readonly method?: HttpMethod | undefined;
  readonly url: URL;
  readonly redirectedFrom?: Redirector | undefined;
  readonly addresses?: readonly string[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly streamed?: Streamed | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}
interface Inputs {
  readonly shape: 'map' | 'list';
  readonly all: readonly Field[];
  shown(values: Values): readonly Field[];
  validated(values: Values): readonly Field[];
  problem?(sent: Values): Message | undefined;
  gather(values: Values): object | undefined;
  words(value: object, locale: Locale): readonly string[];
}
interface IssuedToken {
  readonly value: string;
  readonly extras: readonly TokenExtras[];
}
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
interface Labelled {
  readonly label?: Field['label'];
  readonly name: string;
}
interface Lease {
  readonly kept: Queued;
  readonly isDamaged?: true;
  done(): Promise<void>;
  reschedule(dueAt: number, kept: Queued): Promise<void>;
  setAside(aside: DeadLetterReason, kept: Queued): Promise<void>;
}
interface Leases {
  readonly leaseMs: number;
  readonly notes?: readonly string[];
  keep(entries: readonly Queued[], options: KeepOptions): Promise<readonly Lease[]>;
  lease(most: number, waitMs: number, mostBytes?: number, stop?: AbortSignal): Promise<readonly Lease[]>;
  handed?(messages: readonly HandedMessage[], turn: (lease: Lease) => Promise<void>, mayBegin: () => boolean): Promise<readonly string[]>;
  count(): Promise<QueueCounts>;
  list(): AsyncIterable<Listed>;
  leaseMatching(wanted: (one: Listed) => boolean): AsyncIterable<Lease & {
    readonly listed: Listed;
  }>;
  isFirst?(key: string): Promise<boolean>;
}
interface Life extends PluginContext {
  readonly forms: ReadonlyMap<string, Form>;
  readonly shared: Registered<Shared>;
  readonly platform: Platform;
  readonly signal: AbortSignal;
  wait(work: Promise<unknown>): void;
  readonly drained: Promise<void>;
}
interface Listed {
  readonly kept: Queued;
  readonly aside: DeadLetterReason | undefined;
  readonly dueAt?: number | undefined;
  readonly content?: () => Promise<Uint8Array>;
}
interface Locale {
  readonly language: string | undefined;
  readonly direction?: 'ltr' | 'rtl' | undefined;
  readonly query?: string;
  readonly isNegotiated?: boolean;
  readonly translate: Translate;
  write(value: Param): string;
  text<T = string>(wording: T | ReadonlyMap<string, T>): T;
  isOwn?(code: string): boolean;
}
interface Mail {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc?: readonly Mailbox[] | undefined;
  readonly bcc?: readonly Mailbox[] | undefined;
  readonly replyTo?: Mailbox | undefined;
  readonly subject: string;
  readonly text: string;
  readonly html?: string | undefined;
  readonly attachments?: readonly UploadedFile[] | undefined;
  readonly headers?: ReadonlyMap<string, string> | undefined;
  readonly isAutoReply?: boolean | undefined;
  readonly messageId: string;
  readonly date: number;
}
interface MailParts extends Partial<SmtpMessage & SesMessage> {
  readonly subjectPrefix?: string;
  readonly note?: string;
}
interface Message {
  readonly code: string;
  readonly params?: Readonly<Record<string, Param>> | undefined;
}
interface Named {
  readonly name: string;
  readonly aliases?: readonly string[] | undefined;
}
interface Network {
  readonly address: Address;
  readonly bits: number;
}
interface Note {
  readonly name: string;
  readonly text: LocalizedText;
  readonly before: number;
  readonly visible_when?: Condition | undefined;
}
interface Opened {
  readonly target: string | URL | Addressed;
  send(delivery: PluginDelivery, call: PluginCall): Promise<unknown>;
  probe?(call: PluginCall): Promise<string>;
  close?(): MaybePromise<void>;
  takesFile?(field: string): boolean;
}
interface Option {
  readonly value: string;
  readonly label: LocalizedText;
  readonly disabled?: true;
}
interface Outcome {
  readonly kind: string;
  readonly status: number;
  readonly message?: Message;
  readonly says?: LocalizedText | Message | ((locale: Locale) => string);
  readonly confirmation?: (locale: Locale) => string;
  readonly redirect?: (locale: Locale) => string;
  readonly codes?: Readonly<Record<string, string>>;
  readonly showsForm?: true;
  readonly isQuestion?: boolean;
  readonly ownersText?: LocalizedText | undefined;
  readonly isClosed?: true;
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly answer?: RelayResponse;
  readonly json?: object;
  readonly resend?: {
    readonly token: () => object;
    readonly demanded: () => object;
  };
  readonly html?: HtmlValue;
  readonly why?: string;
  readonly isFrequent?: true;
  readonly level?: LogLevel;
  readonly by?: string;
  readonly code?: string;
}
interface OutputConfig<K extends Properties = Properties> {
  readonly formId: string;
  readonly type: string;
  readonly output: Partial<Parsed<K> & Common>;
  readonly fields: readonly Field[];
  readonly provided: Registered<Provided>;
}
interface OutputContext {
  readonly services: Services;
  readonly mailFromAddress: string | undefined;
  readonly form: OutputForm;
}
interface OutputExtension<K extends Properties = Properties> {
  readonly name: string;
  readonly keys: K;
  readonly types?: readonly string[];
  configure(context: OutputConfig<K>, at: Diagnostics): OutputHooks | undefined;
}
interface OutputForm {
  readonly id: string;
  readonly title: string | undefined;
  readonly fields: readonly Field[];
  readonly locale: Locale;
}
interface OutputHooks {
  readonly accepts?: (submission: Submission) => boolean;
  readonly wrapTransport?: (inner: Transport, context: OutputContext) => Transport;
}
interface OutputType<K extends Properties = Properties> {
  readonly type: string;
  readonly summary: string;
  readonly aliases?: readonly string[];
  readonly keys: K;
  problems?(output: Partial<Parsed<K>>, at: Diagnostics): void;
  readonly jsonSchema?: JsonSchema;
  readsFields?(output: Parsed<K>): readonly FieldRead[];
  sendsOfItself?(output: Parsed<K>): boolean;
  readonly isArchive?: true;
  open(output: Parsed<K> & Common, context: OutputContext): Transport;
}
interface OwnRelay {
  readonly services: Services;
  readonly settings: Settings;
}
interface Page {
  readonly url: string;
  readonly title: string;
  readonly query: Values;
  readonly isOnOwnSite?: boolean;
}
interface ParsedBody {
  readonly values: Values;
  readonly files?: Files<SentFile>;
  readonly lists?: SentLists;
}
interface Place {
  readonly offset: number;
  readonly length: number;
}
interface PlacedTemplate {
  readonly path: Path;
  readonly template: Template;
}
interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly json: unknown;
}
interface PlainRequest {
  readonly method?: HttpMethod;
  readonly url: URL | string | Addressed;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  readonly accepts?: (status: number) => boolean;
  readonly timeoutMs?: number;
}
interface Plugin {
  readonly name: string;
  readonly needs?: string;
  readonly options?: Properties;
  readonly fields?: readonly FieldType[];
  readonly outputs?: readonly OutputType[];
  readonly features?: readonly Feature[];
  readonly fieldExtensions?: readonly FieldExtension[];
  readonly outputExtensions?: readonly OutputExtension[];
  readonly messages?: Readonly<Record<string, Messages>>;
  readonly publicRoutes?: readonly PublicRoute[];
  readonly commands?: readonly Command[];
  readonly checks?: readonly Check[];
  readonly variables?: Variables;
  readonly validate?: (forms: ReadonlyMap<string, Form>, at: Diagnostics) => void;
  readonly start?: (life: Life) => void;
  readonly readiness?: () => MaybePromise<Readiness | undefined>;
  readonly observe?: Observer;
}
interface Plugin {
  readonly stores?: readonly StoreType[];
}
interface PluginCall extends Call {
  readonly http: Http;
}
interface PluginContext {
  readonly services: Services;
  readonly settings: Settings;
  readonly config: CurrentConfig;
  readonly livesOn: boolean;
  hold<T>(work: () => Promise<T>): Promise<T>;
}
interface PluginDelivery {
  readonly id: string;
  readonly formId: string;
  readonly receivedAt: number;
  readonly payload: Payload;
  readonly values: Values;
  readonly files: Files;
  template(template: Template): string;
}
interface PluginOutput<K extends Properties = Properties> extends Omit<OutputType<K>, 'open'> {
  open(output: Parsed<K> & Common, context: PluginOutputContext): Opened;
}
interface PluginOutputContext {
  readonly form: OutputForm;
  env(name: string): string | undefined;
  readonly log: Log;
  now(): number;
  readonly isDryRun: boolean;
}
interface Property<T> {
  readonly doc: string;
  readonly schema: Schema<unknown>;
  readonly isRequired?: true;
  readonly fallback?: string;
  readonly aliases?: readonly string[];
  readonly removed?: string;
  readonly '~type'?: T;
}
interface Provided {
  readonly form_token: FormToken;
  readonly honeypot: string;
}
interface PublicRoute {
  readonly matches: (path: string) => boolean;
  readonly isFree?: true;
  readonly answer: (request: RelayRequest, context: PluginContext) => MaybePromise<RelayResponse>;
}
interface QueueCounts {
  readonly forms: ReadonlyMap<string, FormCounts>;
}
interface Queued {
  readonly id: string;
  readonly form: string;
  readonly output: QueuedOutput;
  readonly receivedAt: number;
  readonly keptAt: number;
  readonly tries: number;
  readonly why: FailureReason | undefined;
  readonly assigned?: string;
  readonly content: Uint8Array;
}
interface QueuedOutput {
  readonly place: number;
  readonly of: number;
  readonly type: string;
  readonly fingerprint: string;
}
interface ReadableContent {
  readonly title: string;
  readonly entries: readonly {
    readonly label: string;
    readonly value: string;
  }[];
  readonly footer: readonly string[];
}
interface Readiness {
  readonly says: string;
  readonly isUnready?: boolean;
}
interface Redirector {
  readonly url: URL;
  readonly remoteAddress: string | undefined;
}
interface Registered<All> {
  get<N extends keyof All & string>(name: N): All[N] | undefined;
  values(): Iterable<unknown>;
}
interface RejectedArchive {
  store(delivery: Delivery, rejection: Rejection, timeoutMs: number): Promise<void>;
}
interface Rejection {
  readonly by: string;
  readonly reason: string;
  readonly more?: Readonly<Record<string, unknown>>;
}
interface RelayRequest {
  readonly method: string;
  readonly path: string;
  readonly mountPath?: string;
  readonly isMountSure?: boolean;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array | undefined;
  readonly isTooLong?: true;
  readonly senderAddress?: string;
  readonly peerAddress?: string | undefined;
  readonly id?: string | undefined;
  readonly timeLeftMs?: number;
  readonly livesOn?: boolean;
}
interface RelayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isFixed?: true;
}
interface Remark {
  readonly name: string;
  readonly value: string;
  readonly label: string;
  readonly words: string;
  readonly header?: string;
}
interface RenderContext {
  readonly request: RelayRequest;
  readonly requestId: string;
  readonly form: Form | undefined;
  readonly locale: Locale;
  readonly pageLocale: Locale;
  readonly sent: Values | undefined;
  readonly settings: Settings;
  readonly now: number;
  confirmationFragment(outcome: Pick<Outcome, 'says' | 'confirmation' | 'codes' | 'html'>): Html;
  renderAgain(outcome: Outcome, messages?: readonly HtmlValue[]): MaybePromise<Rendered | Outcome>;
}
interface Rendered {
  readonly html: Html;
  readonly sources: readonly PolicySources[];
  readonly scripts: readonly Html[];
  readonly hasScript?: boolean;
  readonly isUnstored?: boolean;
}
interface RequestParts {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly tracing?: TracingHeaders | undefined;
  readonly accepts?: ((status: number) => boolean) | undefined;
  readonly judge?: ((answer: FinalAnswer) => void) | undefined;
  readonly codeOf?: ((body: string) => string | undefined) | undefined;
}
interface Retry {
  readonly retryAfterMs?: number | undefined;
  readonly isUnsent?: boolean;
  readonly isLasting?: boolean;
}
interface Route {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'GET, POST';
  readonly answer: (call: RouteContext) => MaybePromise<RelayResponse>;
}
interface RouteContext extends PluginContext {
  readonly request: RelayRequest;
  readonly form: Form;
  readonly requestId: string;
  readonly signal: AbortSignal;
  readonly http: Http;
  respond(outcome: Outcome): MaybePromise<RelayResponse>;
  renderContext(): RenderContext;
  resume(about: Pick<Submission, 'requestId' | 'receivedAt' | 'values'> & Partial<Pick<Submission, 'files'>>): Submission;
  observe(submission: Submission, outcome: Outcome, answer: RelayResponse): void;
}
interface Schema<T> {
  (value: unknown, at: Diagnostics): T | undefined;
  readonly json?: JsonSchema | (() => JsonSchema) | undefined;
  readonly properties?: Properties | undefined;
  readonly kinds?: ReadonlyMap<string, Properties> | undefined;
}
interface SentFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}
interface Services {
  readonly isDryRun?: boolean | 'delivering';
  now(): number;
  env(name: string): string | undefined;
  uuid(): string;
  random(): number;
  sleep(ms: number): Promise<void>;
  repeat(ms: number, work: () => void): () => void;
  readonly binding?: ((name: string) => unknown) | undefined;
  http: HttpClient;
  smtp: SmtpClient;
  ses: SesClient;
  readFile: ReadFile;
  readObject: ReadObject;
  aws(): Promise<Aws>;
  log: Log;
  readonly show?: ((shown: ShownContent) => void) | undefined;
}
interface SesMessage extends Mail {
  readonly timeoutMs: number;
}
interface Shared {}
interface ShownContent {
  readonly content?: ReadableContent;
  readonly pdf?: UploadedFile;
}
interface Sibling {
  readonly text: string;
  readonly name: string;
  report(mistakes: readonly Diagnostic[], placeOf: (one: Diagnostic) => Place): Promise<void>;
}
interface SmtpMessage extends Mail {
  readonly host: string;
  readonly port: number;
  readonly tls?: 'opportunistic' | 'required' | 'implicit' | undefined;
  readonly credentials?: SmtpCredentials | undefined;
  readonly timeoutMs: number;
}
interface Store {
  readonly leases?: Leases;
  readonly counts?: Counts;
  probe(signal: AbortSignal): Promise<readonly Finding[]>;
  readonly remedies?: Remedies;
  setUp?(): Promise<readonly string[]>;
  close(): Promise<void>;
}
interface StoreContext extends Pick<Services, 'env' | 'now' | 'aws' | 'binding'> {
  readonly mostKept?: number;
  readonly filesIn?: Bucket | undefined;
  readonly forMs?: number;
  readonly encode: typeof encodeEntry;
  readonly decode: typeof decodeEntry;
}
interface StoreType {
  readonly schemes: readonly string[];
  readonly example?: string;
  readonly holds?: readonly Held[];
  readonly platforms?: readonly Platform[];
  readonly isFolder?: boolean;
  readonly mostBytes?: number;
  problem?(address: string): string | undefined;
  open(address: string, context: StoreContext): Store | Promise<Store>;
  takeEvent?(event: unknown, current: string | undefined, deliver: DeliverHanded): Promise<unknown> | undefined;
}
interface Streamed {
  readonly byteLength: number;
  pieces(): Iterable<Uint8Array>;
}
interface Submission {
  readonly form: Form;
  readonly formId: string;
  requestId: string;
  receivedAt: number;
  readonly deadline: number;
  readonly request: RelayRequest;
  readonly services: Services;
  readonly settings: Settings;
  readonly tracing: TraceContext;
  readonly signal: AbortSignal;
  readonly http: Http;
  readonly client: Client;
  readonly isFromOwnPage: boolean;
  isTrusted: boolean;
  sent: Values;
  sentFiles: Files<SentFile>;
  sentLists: SentLists | undefined;
  files: Files;
  values: Values;
  page: Page | undefined;
  readonly deliveries: (DeliveryResult | undefined)[];
  begun: Begun | undefined;
  readonly trace: Trace | undefined;
  setState(key: symbol, value: unknown): void;
  getState(key: symbol): unknown;
  countAlways(): void;
  readonly isCountedAlways: boolean;
  log(level: LogLevel, event: string, fields?: object): void;
  addLogFields(fields: Readonly<Record<string, unknown>>): void;
  readonly logFields: Readonly<Record<string, unknown>> | undefined;
  respond(outcome: Outcome): MaybePromise<RelayResponse>;
  defer(work: () => Promise<void>): MaybePromise<void>;
}
interface TemplateContext {
  readonly fields: Values;
  labels?(field: string): string;
  readonly formId: string;
  readonly submittedAt: string;
  readonly page?: Page | undefined;
  env(name: string): string | undefined;
}
interface Test {
  readonly field: string;
  readonly test: keyof typeof opposites;
  readonly values: readonly string[];
  readonly matches?: (value: string) => boolean;
}
interface TextsRead {
  readonly templates: PlacedTemplate[];
  readonly forVisitors: {
    readonly path: Path;
    readonly text: string;
  }[];
}
interface TokenExtras {
  readonly attributes: Parameters<typeof attributes>[0];
  readonly json: object;
  readonly isDemanded: boolean;
}
interface TokenRequest {
  readonly formId: string;
  readonly settings: Settings;
  readonly services: Services;
  readonly now: number;
  readonly request?: RelayRequest | undefined;
  readonly outcome?: Outcome | undefined;
  readonly sent?: Values | undefined;
}
interface TokenUse {
  readonly field: string;
  readonly ttlMs: number;
  readonly minFillMs?: number;
  readonly extras?: (request: TokenRequest) => TokenExtras | undefined;
  readonly markup?: (view: FormView, token: string) => FormMarkup;
}
interface TopContext {
  readonly outputTypes: ReadonlyMap<string, OutputType>;
  readonly plugins: readonly Plugin[];
  compile(id: string, written: unknown, at: Diagnostics): Form | undefined;
  readonly topSpam: Readonly<Record<string, unknown>>;
  readonly forms: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly readSibling: ReadSibling;
  readonly services: Pick<Services, 'env'>;
  messagesIn(language: string): Messages;
}
interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly isSampled: boolean;
  readonly hops: number;
}
interface TraceStep {
  readonly feature: string;
  result: 'passed' | 'ended';
  readonly notes: string[];
  details?: Readonly<Record<string, unknown>>;
}
interface TracingHeaders {
  readonly traceparent: string;
  readonly hops: string;
}
interface Transport {
  send(delivery: Delivery, call: Call): Promise<string | undefined>;
  readonly target?: string;
  readonly protocol?: 'http' | 'smtp' | 'ses' | 's3' | 'folder' | undefined;
  readonly address?: Addressed | undefined;
  probe?(call: Call): Promise<string>;
  close?(): MaybePromise<void>;
  readonly host?: string;
  readonly check?: ((values: Values, isAscii?: boolean) => FieldError | undefined) | undefined;
  takesFile?(field: string): boolean;
  readonly rejected?: RejectedArchive;
}
interface Variable<T> {
  readonly name: string;
  readonly doc: string;
  readonly fallback?: string;
  readonly read: (text: string) => Result<T, string>;
}
interface Versioned {
  readonly text: string | undefined;
  readonly version: string;
}
type About = Omit<Diagnostic, 'path' | 'message'>;
type Address = readonly number[];
type AwsServiceId = 'S3' | 'SESV2' | 'SQS' | 'DYNAMODB';
type BytesClient = (request: BytesRequest) => Promise<BytesAnswer>;
type Classes = Readonly<Partial<Record<'form' | 'field' | 'label' | 'input' | 'select' | 'check' | 'check_input' | 'help' | 'error' | 'button' | 'back' | 'wrapper' | 'affix', string | undefined>>>;
type Client = {
  readonly address: Address;
} | UnknownClient;
type Common = Parsed<typeof commonKeys>;
type Condition = Test | {
  readonly all: readonly Condition[];
} | {
  readonly any: readonly Condition[];
} | {
  readonly not: Condition;
};
type ConfigState = 'never_loaded' | 'fresh' | 'refresh_failed';
type Day = {
  readonly day: string;
};
type DeadLetterReason =
'refused' |
'expired' |
'unreadable';
type Decimal = {
  readonly decimal: string;
};
type Declared<K extends Properties> = Parsed<typeof commonKeys> & Parsed<K>;
type DeliverHanded = (messages: readonly HandedMessage[], address: string | undefined) => Promise<readonly string[]>;
type Environment = Readonly<Record<string, string | undefined>>;
type Files<F = UploadedFile> = ReadonlyMap<string, readonly F[]>;
type Fix = 'remove' | readonly (readonly [path: Path, value: unknown])[];
type Handler = (submission: Submission) => MaybePromise<Outcome>;
type Held = 'deliveries' | 'counts';
type HtmlValue = Html | string | number | undefined | false | readonly HtmlValue[];
type HttpClient = (request: HttpRequest) => Promise<HttpAnswer>;
type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Kind = 'text' | 'number' | 'date' | 'time' | 'datetime' | 'email' | 'country' | 'relay';
type Kit = typeof kit;
type Layout = 'labelled' | 'group' | 'radiogroup' | 'box' | 'bare' | 'inputs';
type Lengths = Pick<Field, 'min_length' | 'max_length'>;
type Localized = readonly {
  readonly path: Path;
  readonly languages: readonly string[];
}[];
type LocalizedText = string | ReadonlyMap<string, string>;
type Log = (level: LogLevel, event: string, fields?: Readonly<Record<string, unknown>>) => void;
type LogLevel = 'info' | 'warn' | 'error';
type Mailbox = string | {
  readonly name: string;
  readonly address: string;
};
type MakePlugin = (kit: Kit, options: any) => Plugin;
type MaybePromise<T> = T | Promise<T>;
type Mentioned = 'fieldNames' | 'envNames' | 'neededEnvNames' | 'defaults' | 'pagePaths' | 'unknownPaths';
type MessageFor<F> = {
  said(field: F): Message;
}['said'];
type Messages = Readonly<Record<string, Text>>;
type Middleware = (next: Handler) => Handler;
type More = Pick<Property<unknown>, 'aliases'>;
type More = Readonly<Record<string, string | number | undefined>>;
type Names = ReadonlySet<string>;
type Observer = (event: {
  readonly requestId: string;
  readonly tracing: TraceContext;
  readonly formId: string | undefined;
  readonly outcome: Outcome;
  readonly answer: RelayResponse;
  readonly ms: number;
  readonly submission: Submission | undefined;
}) => void;
type Of<All, N extends string> = N extends keyof All ? All[N] : unknown;
type Param = string | number | Message | Written | readonly Param[] | undefined;
type Params = Message['params'];
type Parsed<K extends Properties> = { readonly [N in keyof K]: K[N] extends Property<infer T> ? T : never; };
type ParsedAt<K, P extends keyof FeatureKeys> = Parsed<K extends Record<P, infer Own extends Properties> ? Own : Properties>;
type Path = readonly (string | number)[];
type Payload = readonly (readonly [key: string, values: readonly string[]])[];
type Platform = 'node' | 'lambda' | 'workers';
type PolicySources = Readonly<Record<string, readonly string[]>>;
type Properties = Readonly<Record<string, Property<unknown>>>;
type Read<T> = (context: TemplateContext) => T;
type ReadFile = (path: string) => Promise<Result<{
  readonly text: string;
  readonly modifiedAt: number;
}, string>>;
type ReadObject = (object: {
  readonly bucket: string;
  readonly key: string;
  readonly region?: string | undefined;
  readonly etag?: string | undefined;
  readonly timeoutMs: number;
}) => Promise<{
  readonly text: string;
  readonly etag: string | undefined;
} | 'not_modified'>;
type ReadSibling = (path: string) => Promise<Result<Sibling, string>>;
type Remedies = Readonly<Record<string, string>>;
type Result<T, E> = {
  readonly ok: true;
  readonly value: T;
} | {
  readonly ok: false;
  readonly error: E;
};
type Scalar = string | number | boolean | null;
type SentLists = ReadonlyMap<string, readonly number[]>;
type SesClient = (message: SesMessage) => Promise<unknown>;
type Settings = Omit<VariableValues<typeof settingVariables>, 'metricsHost'> & {
  readonly metricsHost: string;
};
type Size = {
  readonly bytes: number;
};
type SmtpClient = (message: SmtpMessage) => Promise<unknown>;
type SmtpCredentials = {
  readonly username: string;
  readonly password: string;
  readonly mechanism?: 'PLAIN' | 'LOGIN' | undefined;
} | {
  readonly username: string;
  readonly token: string;
};
type Spelled = {
  readonly spell: (locales: readonly string[]) => string;
};
type TakenFiles = {
  readonly files: readonly UploadedFile[];
} | {
  readonly error: Message;
  readonly at?: number;
};
type Text = string | ({
  readonly count: string;
  readonly other: string;
} & Partial<Record<Intl.LDMLPluralRule, string>>);
type Translate = (message: Message) => string;
type Typed = Lengths & Pick<Field, 'name' | 'placeholder' | 'autocomplete'>;
type UnknownClient = {
  readonly why: 'no_peer' | 'proxy_silent';
} | {
  readonly why: 'proxy_unlisted';
  readonly network: string;
};
type UploadedFile = SentFile;
type Values = ReadonlyMap<string, readonly string[]>;
type VariableValues<V extends Variables> = { readonly [K in keyof V]: V[K] extends Variable<infer T> ? T : never; };
type Variables = Readonly<Record<string, Variable<unknown>>>;
type Wait = {
  readonly seconds: number;
};
type Written = Decimal | Day | Size | Wait | Spelled;
export type { BodyParser };
export type { Bucket };
export type { Card };
export type { Check };
export type { CheckContext };
export type { Client };
export type { ClientError };
export type { Command };
export type { CommandContext };
export type { ControlState };
export type { Counts };
export type { DeadLetterReason };
export type { DeliveryResult };
export type { Diagnostics };
export type { FailureReason };
export type { Feature };
export type { FeatureKeys };
export type { Field };
export type { FieldError };
export type { FieldExtension };
export type { FieldHooks };
export type { FieldType };
export type { Files };
export type { Finding };
export type { Form };
export type { FormConfig };
export type { FormMarkup };
export type { FormOutput };
export type { FormView };
export type { HandedMessage };
export type { Handler };
export type { Hooks };
export type { Html };
export type { HtmlValue };
export type { Http };
export type { Inputs };
export type { Kit };
export type { Lease };
export type { Leases };
export type { Life };
export type { Listed };
export type { Locale };
export type { LocalizedText };
export type { Log };
export type { LogLevel };
export type { Mailbox };
export type { MakePlugin };
export type { MaybePromise };
export type { Message };
export type { Messages };
export type { Middleware };
export type { Note };
export type { Observer };
export type { Opened };
export type { Option };
export type { Outcome };
export type { OutputConfig };
export type { OutputExtension };
export type { OutputForm };
export type { OutputHooks };
export type { Parsed };
export type { Path };
export type { Payload };
export type { PlainAnswer };
export type { PlainRequest };
export type { Platform };
export type { Plugin };
export type { PluginCall as Call };
export type { PluginContext };
export type { PluginDelivery as Delivery };
export type { PluginOutput as OutputType };
export type { PluginOutputContext as OutputContext };
export type { Properties };
export type { Property };
export type { Provided };
export type { PublicRoute };
export type { QueueCounts };
export type { Queued };
export type { Readiness };
export type { Registered };
export type { RelayRequest };
export type { RelayResponse };
export type { Remedies };
export type { Route };
export type { RouteContext };
export type { Schema };
export type { SentFile };
export type { Services };
export type { Settings };
export type { Shared };
export type { Store };
export type { StoreContext };
export type { StoreType };
export type { Submission };
export type { Template };
export type { TopContext };
export type { Transport };
export type { UploadedFile };
export type { Values };
export type { Variables };
export type { Versioned };
