import type { Effects } from '../base/effects.ts';
import type { RelayRequest } from '../base/http.ts';
import type { ConfigCache } from '../config/cache.ts';
import { captcha } from '../features/captcha/captcha.ts';
import type { Captcha } from '../features/captcha/provider.ts';
import { doubt } from '../features/doubt/doubt.ts';
import type { Doubt } from '../features/doubt/examine.ts';
import { asking } from '../features/index.ts';
import { everyOutput } from '../features/visitor_mails/form_mails.ts';
import type { Form, FormOutput } from '../form.ts';
import type { Settings } from '../schema/settings/settings.ts';
import { createApp, type Handle } from '../street/app.ts';
import { type Story, storyteller } from '../telling/story.ts';
import { submissionLog } from '../telling/submission_log.ts';
import { createTransports, type Message, transportOf } from '../transports/index.ts';
import type { Fault } from '../transports/transport.ts';
import { type KeptHere, keptHere } from './kept_here.ts';
import { mapForms } from './map_forms.ts';
import { notes } from './notes.ts';
import { pretendedTransports } from './pretended_transports.ts';
import { Secrets } from './secrets.ts';
import { standInCaptcha, standInVerdict } from './stand_in_captcha.ts';
import { standInsOf } from './stand_ins.ts';

export interface DryRunOptions {
  readonly settings: Settings;
  readonly config: ConfigCache;
  readonly effects: Effects;
  /** Learns of each submission that was answered. */
  readonly onStory: (story: Story) => void;
  /** Learns how one went on of which something was kept. */
  readonly onSequel?: (story: Story) => void;
  /** How an output is to fail: the name of one of its transport's faults. By default none does. */
  readonly faultOf?: (formId: string, output: number) => string | undefined;
  /** `true`: outputs deliver for real. Captchas are never asked. */
  readonly isDelivering?: boolean;
  /** Where the relay is reached in this run. Default: what the settings say, or a stand-in. */
  readonly publicUrl?: () => string | undefined;
  /** Where a page finds the script that stands in for a captcha's. */
  readonly captchaScript?: string;
}

export interface DryRun {
  /** Answers a request as the relay would, once its story is told. Never rejects. */
  readonly handle: Handle;
  /** With stand-ins for what is not set here. */
  readonly settings: Settings;
  /** In which ways an output can be made to fail; none for a type that nobody knows. */
  readonly faultsOf: (output: FormOutput) => readonly Fault[];
  /** What outputs owe. The stories of what was tried are told when it resolves. */
  readonly kept: Omit<KeptHere, 'keeper'>;
}

/**
 * The relay as it is, with transports that show what they would send, and a captcha provider that is not asked: every
 * check, every template and every payload is the real one, and each submission's story is told.
 */
export function createDryRun(options: DryRunOptions): DryRun {
  const { effects, isDelivering = false } = options;
  const secrets = new Secrets();
  const settings: Settings = {
    ...options.settings,
    formTokenSecret: options.settings.formTokenSecret || effects.uuid(),
    receiptSecrets:
      options.settings.receiptSecrets.length > 0 ? options.settings.receiptSecrets : [effects.uuid()],
    mailFromAddress: options.settings.mailFromAddress ?? standInSender,
    get publicUrl() {
      return options.publicUrl?.() ?? options.settings.publicUrl ?? standInUrl;
    },
  };
  const standIns = () =>
    standInsOf(
      [...(options.config.current?.forms.values() ?? [])].flatMap((form) =>
        everyOutput(form).map(({ output }) => output),
      ),
    );
  const env: Effects['env'] = (name) => {
    const value = effects.env(name);
    if (value !== undefined) secrets.add(name, value);
    // Nothing stands in where outputs deliver.
    return value || isDelivering ? value : (standIns().get(name)?.value ?? value);
  };
  const scanFile: Effects['scanFile'] = isDelivering
    ? effects.scanFile
    : async () => ({ verdict: 'clean', isPretended: true });
  const inside: Effects = { ...effects, env, http: async (post) => standInVerdict(post), scanFile };

  const real = createTransports({ ...effects, env }, settings.mailFromAddress);
  /** Of messages whose delivery is to fail. */
  const faults = new WeakMap<Message, Fault>();
  const faultOf = (message: Message) => faults.get(message);
  const transports = pretendedTransports(real, { faultOf, isDelivering }, effects);

  const answerInWords = (message: Message, answer: unknown): string => {
    const words = typeof answer === 'string' ? answer : transportOf(real, message).answerInWords(answer);
    return isDelivering && !faultOf(message) ? words : `${words} (pretended)`;
  };

  /** The output, whose messages fail as they are told to. */
  const staged = (output: FormOutput, index: number, formId: string): FormOutput => {
    const { message, carry } = output;
    if (!message) return output;
    const stage = (made: Message): Message => {
      const name = options.faultOf?.(formId, index);
      const fault = transportOf(real, made).faults.find((one) => one.name === name);
      if (fault) faults.set(made, fault);
      return made;
    };
    return {
      ...output,
      message: (job, scope) => stage(message(job, scope)),
      carry: carry && ((mail, scope) => stage(carry(mail, scope))),
    };
  };
  const stagedForm = (form: Form): Form => ({
    ...asking(form, [
      [doubt, withoutServices],
      [captcha, (asked: Captcha) => standInCaptcha(asked, options.captchaScript ?? '')],
    ]),
    outputs: form.outputs.map((output, index) => staged(output, index, form.id)),
    variants: new Map([...form.variants].map(([tag, variant]) => [tag, stagedForm(variant)])),
  });
  const config = mapForms(options.config, stagedForm);

  const observe = storyteller({
    formOf: (id) => options.config.current?.forms.get(id),
    notesOf: (form) => notes(form, options.settings, isDelivering, effects),
    mask: secrets,
    show: (message) => transportOf(real, message).show(message, secrets),
    answerInWords,
    onStory: options.onStory,
    onSequel: options.onSequel,
  });
  const observers = [observe, submissionLog(effects.log, effects.now)];
  const { keeper, ...kept } = keptHere({ settings, config, effects: inside, transports, observers });
  const told = async (work: Promise<void>) => {
    await work;
    await observe.told();
  };
  const { handle } = createApp({
    settings,
    config,
    variables: { missing: [], isReady: true },
    effects: inside,
    transports,
    observers,
    keeper,
    throttled: false,
    // What is not sent need not be limited, and to see it again is what a dry run is for.
    limitsMails: isDelivering,
  });
  return {
    settings,
    kept: {
      ...kept,
      tryDue: () => told(kept.tryDue()),
      retry: (id) => told(kept.retry(id)),
    },
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

/** Nobody else learns of what is tried out. */
const withoutServices = (doubt: Doubt): Doubt => ({
  ...doubt,
  signals: doubt.signals.map((signal) =>
    signal.service ? { ...signal, look: () => ({ silent: 'nobody is asked in a dry run' }) } : signal,
  ),
});

/** Stands in for PUBLIC_URL where that is not set. */
const standInUrl = 'https://public-url-is-not-set.example';

/** Stands in for MAIL_FROM_ADDRESS where that is not set. */
const standInSender = 'mail-from-address@is-not-set.example';
