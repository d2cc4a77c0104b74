import { err, type Result } from '@form-relay/relay/base';
import {
  type Config,
  inspectInLanguages,
  type ParseResult,
  type ReadBeside,
  secretValues,
} from '@form-relay/relay/config';
import { Secrets } from '@form-relay/relay/dry_run';
import { CommandFailed } from '../command_failed.ts';
import { configPath } from '../config_path.ts';
import { readOwnConfig } from '../own_setup.ts';
import { besideFile, readConfig } from '../read_config.ts';
import { putOwnSecrets } from '../run.ts';

/** What a server of `relay mcp` knows from its start to its end. */
export class Session {
  /** The config's file, as its owner named it. */
  readonly file: string;
  /** Whether the owner shows what visitors wrote. */
  readonly showsValues: boolean;
  /** The text of the config before the assistant first wrote it; `undefined` as long as it has not. */
  textBefore: string | undefined;
  readonly #option: string | undefined;
  /** The files that the config on disk names, which the assistant's configs may name, too. */
  readonly #named = new Set<string>();
  /** Secrets that the config on disk holds in clear, or held. */
  readonly #secrets = new Secrets();
  #latest: string | undefined;

  constructor(option: string | undefined, showsValues: boolean) {
    this.#option = option;
    this.file = configPath(option);
    this.showsValues = showsValues;
  }

  /** The config's text as it is on disk now. */
  async text(): Promise<Result<string, string>> {
    const text = await readConfig(this.file);
    if (text.ok && text.value !== this.#latest) {
      for (const value of secretValues(text.value)) this.#secrets.add('hidden', value);
      this.#latest = text.value;
    }
    return text;
  }

  /** The answer of a tool without secrets of the config, wherever they got to. */
  hidden<T>(answer: T): T {
    return this.#hide(answer) as T;
  }

  #hide(value: unknown): unknown {
    if (typeof value === 'string') return this.#secrets.html(value);
    if (Array.isArray(value)) return value.map((one) => this.#hide(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#hide(one)]));
  }

  /** Inspects the config on disk, and remembers the files that it names. */
  async inspectOwn(text: string): Promise<ParseResult> {
    const read = besideFile(this.file);
    return inspectInLanguages(text, this.file, (path) => {
      this.#named.add(path);
      return read(path);
    });
  }

  /**
   * Inspects a config that the assistant made up. It reads no file that the config on disk does not name: else it could read
   * any file of this machine, a line at a time, from the mistakes that are found in it (D207).
   */
  async inspect(text: string): Promise<ParseResult> {
    if (this.textBefore === undefined) {
      const own = await this.text();
      if (own.ok) await this.inspectOwn(own.value);
    }
    const read = besideFile(this.file);
    const readNamed: ReadBeside = async (path) =>
      this.#named.has(path)
        ? read(path)
        : err('an assistant’s config reads only files that the config on disk names; the owner adds others');
    return inspectInLanguages(text, this.file, readNamed);
  }

  /**
   * The config for tools that use the owner's servers and passwords. Throws a `CommandFailed` once the assistant has written the
   * config: it could name a server of its own, which would get the owner's passwords (D207).
   */
  async ownConfig(): Promise<Config> {
    await this.useOwnSecrets();
    const read = await readOwnConfig(this.#option);
    if (!read.ok) throw new CommandFailed(read.error);
    return read.value;
  }

  /** Lets a tool use the owner's servers and passwords, or throws, as `ownConfig` does. */
  async useOwnSecrets(): Promise<void> {
    if (this.textBefore === undefined) return putOwnSecrets();
    throw new CommandFailed(
      `write_config has changed ${this.file}, and this tool uses the owner's servers and passwords. ` +
        'Ask the owner to look at the change and then to restart relay mcp, or to run the command on their own.',
    );
  }

  /** The option that names the config, as other commands take it. */
  get option(): string | undefined {
    return this.#option;
  }
}

/** An error in words that a tool answers with. */
export function must<T>(result: Result<T, string>, about: string): T {
  if (!result.ok) throw new CommandFailed(`${about}: ${result.error}`);
  return result.value;
}
