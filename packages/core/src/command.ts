/** Commands of the program `relay`, and checks of `relay doctor`, in the form in which plug-ins add them. */

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

/** The relay's own commands, in the order of its help. */
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
  /** @internal Printed after the options in the help. */
  readonly notes?: string;
  /** @internal Subcommands. A command that has some runs nothing itself. */
  readonly commands?: readonly Command[];
  /** Resolves with the exit code. Anything but a number means 0. */
  run?(given: Readonly<Record<string, unknown>>, context: CommandContext): Promise<unknown>;
}

/** A property of a command, with members that only a command line needs. */
export interface Argument<T> extends Property<T> {
  /** A placeholder for the value in the help, such as `file`. Default: by the property's kind. */
  readonly value?: string;
  /** Whether the option may be given without a value: `--mail [provider]`. */
  readonly mayLackValue?: true;
  /** Whether the option may be repeated, once for each value. */
  readonly isRepeated?: true;
  readonly choices?: readonly string[];
  /** Options that this one cannot be combined with. */
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

/** Defines a command with the types of its options and arguments. */
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
  /** @internal The words that start the program, such as `relay`. */
  readonly calledAs: string;
  /** @internal The value of `--config`. */
  readonly configOption: string | undefined;
  readonly env: Environment;
  /** The config that a relay would load here. Fails with the mistakes in it. */
  config(): Promise<Config>;
  /** @internal Like `config`, but resolves with the reason for a failure, in words. */
  tryConfig(): Promise<Result<Config, string>>;
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

/** Ends a command that was called correctly but failed. */
export class CommandFailed extends Error {
  override name = 'CommandFailed';
}

/** Ends a command that was called incorrectly. */
export class Misuse extends Error {}

/** SPEC: Command-line tool. `--config FILE`, else RELAY_CONFIG, else `webform.yaml`. */
export const configPath = (option: string | undefined, env: Environment): string =>
  option ?? (env.RELAY_CONFIG || env.CONFIG_DIR || 'webform.yaml');

/** Throws a `CommandFailed` that suggests a similar name. */
export function findForm({ forms }: Pick<Config, 'forms'>, name: string): Form {
  const form = forms.get(name);
  if (form) return form;
  const near = didYouMean(nearest(name, [...forms.keys()]));
  throw new CommandFailed(`there is no form "${name}"${near}; relay form list shows all forms`);
}

/** A check of `relay doctor`. */
export interface Check {
  /** The heading of its findings. */
  readonly name: string;
  /** Resolves with the findings, none if it has nothing to check. An exception counts as a bug in the check. */
  probe(context: CheckContext): Promise<readonly Finding[]>;
}

/** Defines a check whose code is loaded when it runs. */
export const check = (name: string, load: () => Promise<Pick<Check, 'probe'>>): Check => ({
  name,
  probe: async (context) => (await load()).probe(context),
});

export interface CheckContext {
  /** `undefined` if the config does not load. */
  readonly config: Config | undefined;
  readonly env: Environment;
  /** @internal */ readonly settings: Settings;
  /** @internal */ readonly services: Services;
  /** Sends requests within the time limit of the check. */
  readonly http: Http;
  /** @internal */ readonly resolver: Resolver;
  readonly now: () => number;
  /** Whether the owner lets checks write test data and remove it again. */
  readonly writes: boolean;
  /** Aborts when the time limit of the check is over. */
  readonly signal: AbortSignal;
}

/** The part of Node's `dns.promises.Resolver` that checks use. Rejects with a `code`, as Node's does. */
export interface Resolver {
  resolve4(name: string): Promise<string[]>;
  resolve6(name: string): Promise<string[]>;
  resolveCname(name: string): Promise<string[]>;
  resolveMx(name: string): Promise<{ exchange: string; priority: number }[]>;
  resolveNs(name: string): Promise<string[]>;
  /** Each record as the list of strings that it consists of. */
  resolveTxt(name: string): Promise<string[][]>;
}
