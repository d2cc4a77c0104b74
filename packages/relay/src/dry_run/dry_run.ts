import type { Effects } from '../base/effects.ts';
import type { Observer } from '../base/event.ts';
import type { RelayRequest } from '../base/http.ts';
import { ok } from '../base/result.ts';
import type { ConfigCache } from '../config/cache.ts';
import type { Config } from '../config/parse.ts';
import { captcha } from '../features/captcha/captcha.ts';
import type { Captcha } from '../features/captcha/provider.ts';
import { doubt } from '../features/doubt/doubt.ts';
import type { Doubt } from '../features/doubt/examine.ts';
import { asking } from '../features/index.ts';
import { everyOutput } from '../features/visitor_mails/form_mails.ts';
import type { Form, FormOutput, Keeper } from '../form.ts';
import type { Settings } from '../schema/settings/settings.ts';
import { scopeOf } from '../schema/template/scope.ts';
import { createApp, type Handle } from '../street/app.ts';
import { deliverTo } from '../street/deliver.ts';
import { type Story, storyteller } from '../telling/story.ts';
import { submissionLog } from '../telling/submission_log.ts';
import { createTransports, type Message, type Transports, transportOf } from '../transports/index.ts';
import type { Fault } from '../transports/transport.ts';
import { countInMemory } from './counts_in_memory.ts';
import { notes } from './notes.ts';
import { pretendedTransports } from './pretended_transports.ts';
import { Secrets } from './secrets.ts';
import { standInCaptcha, standInVerdict } from './stand_in_captcha.ts';
import { standInsOf } from './stand_ins.ts';

export interface DryRunOptions {
  readonly settings: Settings;
  readonly config: ConfigCache;
  readonly effects: Effects;
  /** Receives the story of each answered submission. */
  readonly onStory: (story: Story) => void;
  /** The fault of its transport with which an output is to fail, by name. Default: none. */
  readonly faultOf?: (formId: string, output: number) => string | undefined;
  /** Whether outputs really deliver. Captchas are never verified. */
  readonly isDelivering?: boolean;
  /** The relay's URL in this run. Default: PUBLIC_URL, or a stand-in. */
  readonly publicUrl?: () => string | undefined;
  /** The URL of the script that stands in for a captcha's. */
  readonly captchaScript?: string;
  /** Hears everything that happens, beside the stories. */
  readonly observe?: Observer;
  /** Default: counts in memory. */
  readonly openCounter?: Effects['openCounter'];
}

export interface DryRun {
  /** Answers a request like the relay, after telling its story. Never rejects. */
  readonly handle: Handle;
  /** With stand-ins for unset variables. */
  readonly settings: Settings;
  /** Forgets the counts in memory, such as places that are taken. */
  readonly forgetCounts: () => void;
  /** The faults with which an output can be made to fail; none for an unknown type. */
  readonly faultsOf: (output: FormOutput) => readonly Fault[];
}

/**
 * The relay with transports that only show messages and a captcha provider that is not asked: all checks, templates and
 * payloads are real, and each submission's story is told.
 */
export function createDryRun(options: DryRunOptions): DryRun {
  const { effects, isDelivering = false } = options;
  const secrets = new Secrets();
  const settings = withStandIns(options);
  const standIns = () =>
    standInsOf(
      [...(options.config.current?.forms.values() ?? [])].flatMap((form) =>
        everyOutput(form).map(({ output }) => output),
      ),
    );
  const env: Effects['env'] = (name) => {
    const value = effects.env(name);
    if (value !== undefined) secrets.add(name, value);
    // Real deliveries use no stand-ins.
    return value || isDelivering ? value : (standIns().get(name)?.value ?? value);
  };
  const scanFile: Effects['scanFile'] = isDelivering
    ? effects.scanFile
    : async () => ({ verdict: 'clean', isPretended: true });
  const counts = countInMemory(effects.now);
  const inside: Effects = {
    ...effects,
    env,
    http: async (post) => standInVerdict(post),
    scanFile,
    openCounter: options.openCounter ?? counts.openCounter,
    openTexts: counts.openTexts,
  };

  const real = createTransports({ ...effects, env }, settings.mailFromAddress);
  /** The faults of messages that are to fail. */
  const faults = new WeakMap<Message, Fault>();
  const faultOf = (message: Message) => faults.get(message);
  const transports = pretendedTransports(real, { faultOf, isDelivering }, effects);

  const answerInWords = (message: Message, answer: unknown): string => {
    const words = typeof answer === 'string' ? answer : transportOf(real, message).answerInWords(answer);
    return isDelivering && !faultOf(message) ? words : `${words} (pretended)`;
  };

  const setFault = (message: Message, formId: string, output: number) => {
    const name = options.faultOf?.(formId, output);
    const fault = transportOf(real, message).faults.find((one) => one.name === name);
    if (fault) faults.set(message, fault);
  };
  const stagedForm = (form: Form): Form => ({
    ...asking(form, [
      [doubt, withoutServices],
      [captcha, (asked: Captcha) => standInCaptcha(asked, options.captchaScript ?? '')],
    ]),
    outputs: form.outputs.map((output, index) =>
      beforeSending(output, (message) => setFault(message, form.id, index)),
    ),
  });
  const config = mapForms(options.config, stagedForm);

  const observe = storyteller({
    formOf: (id) => options.config.current?.forms.get(id),
    notesOf: (form) => notes(form, options.settings, isDelivering, effects),
    mask: secrets,
    show: (message) => transportOf(real, message).show(message, secrets),
    answerInWords,
    onStory: options.onStory,
  });
  const observers = [
    observe,
    submissionLog(effects.log, effects.now),
    ...(options.observe ? [options.observe] : []),
  ];
  const { handle } = createApp({
    settings,
    config,
    variables: { missing: [], isReady: true },
    effects: inside,
    transports,
    observers,
    keeper: async () => keepNothing(inside, transports),
    throttled: false,
    // Nothing is sent, so nothing is limited, and sending again is what a dry run is for.
    limitsMails: isDelivering,
  });
  return {
    settings,
    forgetCounts: counts.forget,
    faultsOf: ({ target }) => (target ? real[target.via].faults : []),
    handle: Object.assign(
      async (request: RelayRequest) => {
        // The story ends with the answer.
        const answer = await handle({ ...request, livesOn: false });
        await observe.told();
        return answer;
      },
      { admit: handle.admit, uploads: handle.uploads },
    ),
  };
}

/** The settings, with stand-ins for those that forms need. */
function withStandIns({ settings, publicUrl, effects }: DryRunOptions): Settings {
  const { formTokenSecret, receiptSecrets, mailFromAddress = standInSender } = settings;
  return {
    ...settings,
    formTokenSecret: formTokenSecret || effects.uuid(),
    receiptSecrets: receiptSecrets.length > 0 ? receiptSecrets : [effects.uuid()],
    mailFromAddress,
    get publicUrl() {
      return publicUrl?.() ?? settings.publicUrl ?? standInUrl;
    },
  };
}

/** The output, which passes each of its messages to `see` first. */
function beforeSending(output: FormOutput, see: (message: Message) => void): FormOutput {
  const { message, carry } = output;
  if (!message) return output;
  const seen = (made: Message): Message => {
    see(made);
    return made;
  };
  return {
    ...output,
    message: (job, scope) => seen(message(job, scope)),
    carry: carry && ((mail, scope) => seen(carry(mail, scope))),
  };
}

/** Dry runs query no third parties. */
const withoutServices = (doubt: Doubt): Doubt => ({
  ...doubt,
  signals: doubt.signals.map((signal) =>
    signal.service ? { ...signal, look: () => ({ silent: 'nobody is asked in a dry run' }) } : signal,
  ),
});

/** Stands in for PUBLIC_URL. */
const standInUrl = 'https://public-url-is-not-set.example';

/** Stands in for MAIL_FROM_ADDRESS. */
const standInSender = 'mail-from-address@is-not-set.example';

/** Changes each form of a config, in each of its languages. */
function mapForms(cache: ConfigCache, change: (form: Form) => Form): ConfigCache {
  const changed = (form: Form): Form => ({
    ...change(form),
    variants: new Map([...form.variants].map(([language, variant]) => [language, change(variant)])),
  });
  const known = new WeakMap<Config, Config>();
  const mapped = (config: Config): Config => {
    const made = known.get(config) ?? {
      ...config,
      forms: new Map([...config.forms].map(([id, form]) => [id, changed(form)])),
    };
    known.set(config, made);
    return made;
  };
  return {
    sourceName: cache.sourceName,
    get state() {
      return cache.state;
    },
    get current() {
      return cache.current && mapped(cache.current);
    },
    get: async () => {
      const config = await cache.get();
      return config && mapped(config);
    },
  };
}

/** Stores and retries nothing. What a relay delivers after the answer is delivered before it, so that its story has it. */
const keepNothing = (effects: Effects, transports: Transports): Keeper => ({
  keep: async ({ form, submission, owed, tell }) => {
    const scope = scopeOf(form.id, submission, effects, form.fields);
    for (const { output: index, why } of owed) {
      const output = form.outputs[index];
      if (!output || why !== undefined) continue;
      await deliverTo(output, index, submission, scope, { form, effects, transports, tell });
    }
    return ok({ dueAt: effects.now() });
  },
});
