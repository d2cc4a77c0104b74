import { ClientError } from '../../client_error.ts';
import type { ConfigCache } from '../../config/cache.ts';
import type { Config } from '../../config/parse.ts';
import type { Effects } from '../../effects.ts';
import type { Form, FormOutput } from '../../form.ts';
import type { Outcome } from '../../outcome.ts';
import type { Delivery } from '../../outputs/output.ts';
import type { Settings } from '../../settings.ts';
import { createApp, type Handle } from '../../street/app.ts';
import { standInCaptcha, standInVerdict } from './captcha.ts';
import { capturing, type Fault } from './capture.ts';
import { notes } from './notes.ts';
import { Secrets } from './secrets.ts';
import type { OutputStory, Story } from './story.ts';
import { tell } from './tell.ts';

export interface DryRunOptions {
  readonly settings: Settings;
  readonly config: ConfigCache;
  readonly effects: Effects;
  /** Learns of each submission that was answered. */
  readonly onStory: (story: Story) => void;
  /** How an output is to fail; by default none does. */
  readonly faultOf?: (formId: string, output: number) => Fault | undefined;
  /** `true`: outputs deliver for real. Captchas are never asked. */
  readonly isDelivering?: boolean;
  /** Where a page finds the script that stands in for a captcha's. */
  readonly captchaScript?: string;
}

export interface DryRun {
  /** Answers a request as the relay would. Never rejects. */
  readonly handle: Handle;
  /** With stand-ins for what is not set here. */
  readonly settings: Settings;
}

/**
 * The relay as it is, with outputs that send nothing and a captcha provider that is not asked: every check, every
 * template and every payload is the real one, and each submission's story is told.
 */
export function createDryRun(options: DryRunOptions): DryRun {
  const { effects, onStory } = options;
  const secrets = new Secrets();
  const settings: Settings = {
    ...options.settings,
    formTokenSecret: options.settings.formTokenSecret || effects.uuid(),
    mailFromAddress: options.settings.mailFromAddress ?? standInSender,
  };
  const runs = new Map<string, Run>();
  const runOf = (requestId: string): Run => {
    const run = runs.get(requestId) ?? { outputs: [] };
    runs.set(requestId, run);
    return run;
  };

  const env: Effects['env'] = (name) => {
    const value = effects.env(name);
    if (value !== undefined) secrets.add(name, value);
    return value;
  };
  const inside: Effects = { ...effects, env, http: async (post) => standInVerdict(post) };

  function captured(output: FormOutput, index: number, formId: string): FormOutput {
    const { deliver } = output;
    if (!deliver) return output;
    const record = async (delivery: Delivery): Promise<void> => {
      const { outputs } = runOf(delivery.requestId);
      // There already, when this is another try.
      const warnings = [...(outputs[index]?.warnings ?? [])];
      const sent = [...(outputs[index]?.sent ?? [])];
      const story = {
        index,
        type: output.type,
        target: output.target,
        onError: output.on_error,
        payload: delivery.payload.map(
          ([key, values]) => [key, values.map((one) => secrets.hideValue(key, one))] as const,
        ),
        warnings,
        sent,
      };
      const capture = {
        sent,
        secrets,
        fault: options.faultOf?.(formId, index),
        isDelivering: options.isDelivering ?? false,
      };
      try {
        await deliver({
          ...delivery,
          effects: capturing({ ...effects, env }, capture),
          warn: (message) => {
            warnings.push(message);
            delivery.warn(message);
          },
        });
        outputs[index] = { ...story, result: 'delivered' };
      } catch (error) {
        const reason = error instanceof ClientError ? error.message : 'internal error';
        outputs[index] = { ...story, result: 'failed', reason };
        throw error;
      }
    };
    return { ...output, deliver: record };
  }

  const rehearsed = new WeakMap<Config, Config>();
  const rehearse = (config: Config): Config => {
    const known = rehearsed.get(config);
    if (known) return known;
    const forms = [...config.forms].map(
      ([id, form]) =>
        [
          id,
          {
            ...form,
            captcha: form.captcha && standInCaptcha(form.captcha, options.captchaScript ?? ''),
            outputs: form.outputs.map((output, index) => captured(output, index, id)),
          },
        ] as const,
    );
    const made = { ...config, forms: new Map(forms) };
    rehearsed.set(config, made);
    return made;
  };
  const { config } = options;
  const cache: ConfigCache = {
    sourceName: config.sourceName,
    get state() {
      return config.state;
    },
    get current() {
      return config.current && rehearse(config.current);
    },
    get: async () => {
      const loaded = await config.get();
      return loaded && rehearse(loaded);
    },
  };

  const observe = (requestId: string, outcome: Outcome, form: Form | undefined) => {
    runOf(requestId).ending = { outcome, form };
  };
  const { handle } = createApp({ settings, config: cache, effects: inside, throttled: false, observe });

  const observed: Handle = async (request) => {
    const receivedAt = effects.now();
    const answer = await handle(request);
    const id = answer.headers['x-request-id'] ?? '';
    const run = runs.get(id);
    runs.delete(id);
    if (run?.ending) {
      const { outputs, ending } = run;
      const form = ending.form;
      onStory(
        tell({
          id,
          request,
          receivedAt,
          answer,
          outputs,
          ...ending,
          formTokenSecret: settings.formTokenSecret,
          // Of the form as it is, whose captcha has its own secret.
          notes: form ? notes(config.current?.forms.get(form.id) ?? form, options.settings, effects) : [],
        }),
      );
    }
    return answer;
  };
  return { handle: observed, settings };
}

/** Stands in for MAIL_FROM_ADDRESS where that is not set. */
const standInSender = 'mail-from-address@is-not-set.example';

/** What is known of a submission while it is on its way. */
interface Run {
  /** By their place in the form's `outputs`. */
  readonly outputs: OutputStory[];
  ending?: { readonly outcome: Outcome; readonly form: Form | undefined };
}
