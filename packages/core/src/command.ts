/** Commands of the program `relay`, and checks of its doctor: what `commands` and `checks` of a plug-in hold. */

import type { Finding } from '@form-relay/base/finding';
import type { Result } from '@form-relay/base/result';
import { boolean } from '@form-relay/schema/scalars';
import type { Parsed, Properties, Property, Schema } from '@form-relay/schema/schema';
import { didYouMean, nearest } from '@form-relay/schema/suggestion';
import type { Config } from './config.ts';
import type { Form } from './form.ts';
import type { Http } from './http/bound_http.ts';
import type { Services } from './services.ts';
import type { Environment, Settings } from './settings.ts';

export type { Finding } from '@form-relay/base/finding';

/** The relay's own, in the order of its help. */
export const ownCommands = [
  'init',
  'serve',
  'dev',
  'inbox',
  'demo',
  'form',
  'explain',
  'test',
  'places',
  'link',
  'ask',
  'check',
  'canary',
  'report',
  'doctor',
  'mcp',
  'skill',
  'health',
  'config',
  'webhook',
  'receipt',
  'archive',
  'rules',
  'kept',
  'clients',
  'keys',
  'plugin',
  'help',
] as const;

export interface Command {
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
  /** @internal Follows the options in the help. */
  readonly notes?: string;
  /** @internal Commands below it. A command with subcommands runs nothing itself. */
  readonly commands?: readonly Command[];
  /** Resolves with the exit code. Anything that is no number is 0. */
  run?(given: Readonly<Record<string, unknown>>, context: CommandContext): Promise<unknown>;
}

/** A property of a command, with what only a command line needs. */
export interface Argument<T> extends Property<T> {
  /** Stands for the value in the help, such as `file`. Default: by its kind. */
  readonly value?: string;
  /** Whether the value may be left out: `--mail [provider]`. */
  readonly mayLackValue?: true;
  /** Whether it is given again for each of several values. */
  readonly isRepeated?: true;
  readonly choices?: readonly string[];
  /** The options that do not go with it. */
  readonly conflicts?: readonly string[];
  readonly isHidden?: true;
}

type More = Pick<Argument<unknown>, 'conflicts' | 'choices' | 'fallback' | 'isHidden'>;

export const option = <T>(
  value: string,
  doc: string,
  schema: Schema<T>,
  more?: More,
): Argument<T | undefined> => ({ doc, schema, value, ...more });

export const needed = <T>(value: string, doc: string, schema: Schema<T>, more?: More): Argument<T> => ({
  doc,
  schema,
  value,
  isRequired: true,
  ...more,
});

export const repeated = <T>(
  value: string,
  doc: string,
  schema: Schema<T>,
  more?: More,
): Argument<readonly T[] | undefined> => ({ doc, schema, value, isRepeated: true, ...more });

export const flag = (doc: string, more?: More): Argument<true | undefined> => ({
  doc,
  schema: boolean(),
  ...more,
});

/** A command with the types of its options and arguments. */
export const command = <
  const A extends Properties = Record<never, never>,
  const O extends Properties = Record<never, never>,
>(
  definition: Omit<Command, 'arguments' | 'options' | 'run'> & {
    readonly arguments?: A;
    readonly options?: O;
    run?(given: Parsed<A> & Parsed<O>, context: CommandContext): Promise<unknown>;
  },
): Command => definition as Command;

export interface OwnRelay {
  readonly services: Services;
  /** @internal */ readonly settings: Settings;
}

export interface CommandContext {
  /** @internal The words that start the program: such as `relay` (called_as.ts). */
  readonly calledAs: string;
  /** @internal The value of `--config`. */
  readonly configOption: string | undefined;
  readonly env: Environment;
  /** The config of a relay that starts here. Fails with its mistakes. */
  config(): Promise<Config>;
  /** @internal The same, or why there is none, in words. */
  tryConfig(): Promise<Result<Config, string>>;
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

/** Ends a command that was called rightly and failed. */
export class CommandFailed extends Error {
  override name = 'CommandFailed';
}

/** Ends a command that was called wrongly. */
export class Misuse extends Error {}

/** SPEC: Command-line tool. `--config FILE`, else RELAY_CONFIG, else `webform.yaml`. */
export const configPath = (option: string | undefined, env: Environment): string =>
  option ?? (env.RELAY_CONFIG || env.CONFIG_DIR || 'webform.yaml');

/** Throws a `CommandFailed` that suggests a name. */
export function findForm({ forms }: Pick<Config, 'forms'>, name: string): Form {
  const form = forms.get(name);
  if (form) return form;
  const near = didYouMean(nearest(name, [...forms.keys()]));
  throw new CommandFailed(`there is no form "${name}"${near}; relay form list shows all forms`);
}

/** An examination of the doctor. */
export interface Check {
  /** The heading of what it finds. */
  readonly name: string;
  /** Resolves with what can be expected. An exception counts as a bug of the check. Nothing to look at: no findings. */
  probe(context: CheckContext): Promise<readonly Finding[]>;
}

/** A check whose code is loaded when it runs. */
export const check = (name: string, load: () => Promise<Pick<Check, 'probe'>>): Check => ({
  name,
  probe: async (context) => (await load()).probe(context),
});

export interface CheckContext {
  /** `undefined` if it does not load. */
  readonly config: Config | undefined;
  readonly env: Environment;
  /** @internal */ readonly settings: Settings;
  /** @internal */ readonly services: Services;
  /** Sends requests within the time of the check. */
  readonly http: Http;
  /** @internal */ readonly resolver: Resolver;
  readonly now: () => number;
  /** Whether the owner allows to write something and remove it again. */
  readonly writes: boolean;
  /** Aborts when the check takes too long. */
  readonly signal: AbortSignal;
}

/** The part of Node's `dns.promises.Resolver` that checks use. Rejects with a `code`, as that does. */
export interface Resolver {
  resolve4(name: string): Promise<string[]>;
  resolve6(name: string): Promise<string[]>;
  resolveCname(name: string): Promise<string[]>;
  resolveMx(name: string): Promise<{ exchange: string; priority: number }[]>;
  resolveNs(name: string): Promise<string[]>;
  /** Each record as the strings that it was sent in. */
  resolveTxt(name: string): Promise<string[][]>;
}
