import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { CommandContext } from '@form-relay/core/command';
import type { Plugin } from '@form-relay/core/plugin';
import { type MakePlugin, sharedKit } from '@form-relay/plugin-host/kit';
import { createRelay } from '@form-relay/runtimes/index';

/** A check for any test runner. `run` rejects with an `AssertionError` that says what failed. */
export interface Check {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** The plug-in under test. */
export interface Tested {
  /** The module's default export. Absent: the unit is part of the relay. */
  readonly plugin?: MakePlugin | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/**
 * Fails if a text, such as a log or a response, contains one of these secrets. Values shorter than four
 * characters are ignored, since they may be in any text.
 */
export function assertHoldsNone(where: string, text: string, secrets: Iterable<string>): void {
  for (const secret of secrets)
    assert.ok(secret.length < 4 || !text.includes(secret), `${where} holds ${secret}`);
}

/** Fails if a plug-in rejected a submission with a code that has no message. */
export function assertWorded({ logged }: { readonly logged: readonly object[] }): void {
  assert.doesNotMatch(JSON.stringify(logged), /a code that has no text/, 'a code has no text in `messages`');
}

/** The plug-in's error in the log, which no visitor sees. */
export const faultIn = ({ logged }: { readonly logged: readonly Readonly<Record<string, unknown>>[] }) =>
  [logged.findLast(({ event }) => event === 'internal_error')?.stack].flat()[0];

/** The values that a visitor sends: texts and files. A list is several values of one name. */
export type Values = Readonly<Record<string, string | File | readonly string[]>>;

const pairsOf = (values: Values) =>
  Object.entries(values).flatMap(([name, all]) => [all].flat().map((one) => [name, one] as const));

export const textsOf = (values: Values): readonly string[] =>
  pairsOf(values).flatMap(([, value]) => (typeof value === 'string' ? value : []));

/** The body as a browser sends it: `multipart/form-data` if there are files. */
export function bodyOf(values: Values): URLSearchParams | FormData {
  const form = new FormData();
  for (const [name, value] of pairsOf(values)) form.append(name, value);
  return pairsOf(values).some(([, value]) => typeof value !== 'string')
    ? form
    : new URLSearchParams(pairsOf(values) as [string, string][]);
}

export interface RelayTrial {
  /** The config's forms, by name. A form without outputs delivers to `delivered`. */
  readonly forms: Readonly<Record<string, object>>;
  /** More top-level keys of the config. */
  readonly top?: object | undefined;
  /** The exports of the plug-ins’ modules. */
  readonly plugins?: readonly (Plugin | MakePlugin)[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether to decide without delivering, like `relay explain`. */
  readonly dryRun?: boolean;
}

/** A relay that `tryRelay` started for a test. */
export interface TriedRelay {
  /** Each line of the log, even below LOG_LEVEL, with `level` and `event`. */
  readonly logged: readonly Readonly<Record<string, unknown>>[];
  /** The payloads of outputs of type `recorded`, oldest first. */
  readonly delivered: readonly Readonly<Record<string, readonly string[]>>[];
  /** Posts a form with values, which may be files, and returns the response in JSON. */
  submit(form: string, values: Values): Promise<{ readonly status: number; readonly text: string }>;
  /** Sends any request, from 192.0.2.1; `path` begins with a slash. The relay listens on no port. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** A form of the loaded config, as features and outputs get it. */
  form(name: string): Promise<LoadedForm>;
  /** Ends background work and closes what plug-ins opened. */
  close(): Promise<void>;
}
type LoadedForm =
  NonNullable<
    Awaited<ReturnType<ReturnType<typeof createRelay>['config']['get']>>
  >['forms'] extends ReadonlyMap<string, infer F>
    ? F
    : never;

/** An output that records what it gets, for tests of other units. */
export const recorded = { type: 'recorded', mapping: '*' };

/**
 * Starts a relay in the test's process. If the config does not load, rejects with its mistakes.
 *
 * @example const relay = await tryRelay({ plugins: [plugin], forms: { contact: { fields: [{ name: 'name' }] } } });
 * await relay.submit('contact', { name: 'Ada' });
 * relay.delivered; // [{ name: ['Ada'] }]
 * await relay.close();
 */
export const tryRelay = async (trial: RelayTrial): Promise<TriedRelay> => (await openTrial(trial)).tried;

export type Relay = ReturnType<typeof createRelay>;

/** An address for documentation, which no machine has (RFC 5737). */
const peerAddress = '192.0.2.1';

/** Like `tryRelay`, but also returns the relay itself. */
async function openTrial({
  forms,
  top,
  plugins = [],
  env = {},
  dryRun = false,
}: RelayTrial): Promise<{ readonly tried: TriedRelay; readonly relay: Relay }> {
  const logged: Record<string, unknown>[] = [];
  const delivered: Record<string, readonly string[]>[] = [];
  const recorder: Plugin = {
    name: 'recorder',
    outputs: [
      {
        type: recorded.type,
        summary: 'Records what it gets, for a test.',
        keys: {},
        open: () => ({
          target: 'the test',
          send: async ({ payload }) => {
            delivered.push(Object.fromEntries(payload));
            return undefined;
          },
        }),
      },
    ],
  };
  const complete = Object.entries(forms).map(([name, form]) => [name, { outputs: [recorded], ...form }]);
  const relay = createRelay({
    config: JSON.stringify({ ...top, forms: Object.fromEntries(complete) }),
    plugins: [recorder, ...plugins],
    env: { THROTTLE_RATE_LIMIT: '100000', THROTTLE_BURST_LIMIT: '100000', ...env },
    services: {
      log: (level, event, fields) => void logged.push({ level, event, ...fields }),
      ...(dryRun && { http: async () => ({ status: 200, headers: {}, body: '{}' }) }),
    },
    dryRun,
  });
  const config = await relay.config.get();
  if (!config) {
    await relay.close();
    const [{ problems = [JSON.stringify(logged)] } = {}] = logged.filter((line) => line.problems);
    throw new Error(['the config does not load:', ...(problems as readonly string[])].join('\n'));
  }
  const fetch = (path: string, init?: RequestInit) =>
    relay.fetch(new Request(new URL(path, 'http://relay.test'), init), { peerAddress });
  const tried: TriedRelay = {
    logged,
    delivered,
    fetch,
    submit: async (form, values) => {
      const body = bodyOf(values);
      const answer = await fetch(`/api/v1/submit/${form}`, { method: 'POST', body });
      return { status: answer.status, text: await answer.text() };
    },
    form: async (name) => {
      const form = (await relay.config.get())?.forms.get(name);
      if (!form) throw new Error(`the config has no form "${name}"`);
      return form;
    },
    close: () => relay.close(),
  };
  return { tried, relay };
}

/** Runs the work with a relay, and then closes the relay. */
export async function withRelay<T>(trial: RelayTrial, work: (relay: TriedRelay) => Promise<T>): Promise<T> {
  const relay = await tryRelay(trial);
  try {
    return await work(relay);
  } finally {
    await relay.close();
  }
}

export interface TriedCommand {
  /** The exit code: 1 if the command failed, 2 if its arguments were wrong. */
  readonly code: number;
  readonly printed: string;
  /** The text on stderr. */
  readonly failed: string;
}

/**
 * Runs a command of a plug-in in the test's process, with a relay that has these forms. Answers yes to all questions.
 *
 * @param given The command's arguments and options, as their kinds parse them.
 * @example await tryCommand({ plugins: [plugin], forms: { contact: { fields: [{ name: 'name' }] } } }, 'leads');
 */
export async function tryCommand(
  trial: RelayTrial,
  name: string,
  given: Readonly<Record<string, unknown>> = {},
): Promise<TriedCommand> {
  const { plugins = [], env = {} } = trial;
  const made = plugins.map((one) => (typeof one === 'function' ? one(sharedKit(), {}) : one));
  const command = made.flatMap(({ commands = [] }) => commands).find((one) => one.name === name);
  if (!command) throw new Error(`none of these plug-ins has the command "${name}"`);
  const { relay, tried } = await openTrial(trial);
  const failures = new Map<unknown, number>();
  const failing = (code: number) => (says: string) => {
    const error = new Error(says);
    failures.set(error, code);
    return error;
  };
  let printed = '';
  const config = async () => {
    const loaded = await relay.config.get();
    if (!loaded) throw new Error('the config does not load');
    return loaded;
  };
  const context: CommandContext = {
    calledAs: 'relay',
    configOption: undefined,
    env,
    config,
    tryConfig: async () => ({ ok: true, value: await config() }),
    relay: async () => relay,
    read: (path) => readFile(path),
    ask: async () => true,
    print: (text) => {
      printed += text;
    },
    fail: failing(1),
    misuse: failing(2),
  };
  try {
    const code = await command.run?.(given, context);
    return { code: typeof code === 'number' ? code : 0, printed, failed: '' };
  } catch (error) {
    const code = failures.get(error);
    if (code === undefined) throw error;
    return { code, printed, failed: (error as Error).message };
  } finally {
    await tried.close();
  }
}
