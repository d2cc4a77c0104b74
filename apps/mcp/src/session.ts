import { randomUUID } from 'node:crypto';
import { dirname, isAbsolute } from 'node:path';
import { err, ok, type Result } from '@form-relay/base/result';
import type { ParseResult } from '@form-relay/config/parse';
import type { ConfigSource } from '@form-relay/config/source';
import type { Config } from '@form-relay/core/config';
import { inspectConfig, ownServices } from '@form-relay/runtimes/inspect';
import type { ReadText } from '@form-relay/yaml/config_text';
import { filesNamedIn } from '@form-relay/yaml/document';
import { secretValues } from './bounds.ts';
import { ConfigView } from './config_view.ts';
import { type Owner, ToolError } from './owner.ts';
import { asWords, inTexts } from './tool.ts';

/** The state of a `relay mcp` server. */
export class Session {
  /** Where this server has saved a copy of the config for the owner. */
  backup: string | null = null;
  /** The config when this server started, which the owner has therefore seen. */
  readonly #atStart: Promise<Result<string, string>>;
  #view = new ConfigView('');
  /** The last change to the config. */
  #latest: Promise<unknown> = Promise.resolve();

  /** Signs codes that are valid only in this session. */
  readonly key = randomUUID();

  /**
   * @param showsValues Whether the owner shows visitors' values.
   * @param asks Whether it may ask people, and read their answers.
   */
  constructor(
    readonly owner: Owner,
    readonly showsValues: boolean,
    readonly asks = false,
  ) {
    this.#atStart = this.text();
  }

  /** The config file as named by its owner. */
  get file(): string {
    return this.owner.file;
  }

  /** The config's current text on disk. */
  async text(): Promise<Result<string, string>> {
    const read = await this.owner.readText();
    if (read.ok || isAbsolute(this.file)) return read;
    // Assistants start servers in arbitrary folders.
    return err(`${read.error} in ${process.cwd()}; give relay mcp a full path with --config`);
  }

  /** The view of a config. The last one is cached, because a large config takes a while. */
  viewOf(full: string): ConfigView {
    if (this.#view.full !== full) this.#view = new ConfigView(full);
    return this.#view;
  }

  /** Runs writes of the config one after another. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#latest.then(work);
    this.#latest = turn.catch(() => undefined);
    return turn;
  }

  /** A tool's answer without secrets of the config, which servers may quote. */
  async hidden<T>(answer: T): Promise<T> {
    const texts = [await this.#atStart, await this.text()];
    const values = texts.flatMap((text) => (text.ok ? secretValues(text.value) : []));
    const forms = values.flatMap((value) => [
      value,
      encodeURIComponent(value),
      JSON.stringify(value).slice(1, -1),
    ]);
    if (forms.length === 0) return answer;
    const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
    const any = new RegExp(
      longestFirst.map((one) => one.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'),
      'gi',
    );
    return inTexts(answer, (text) => text.replaceAll(any, '[hidden]'));
  }

  /**
   * A config that the assistant may have written. The config may read only files that the config on disk
   * names; otherwise it could read any file of this machine, line by line, through the problems reported
   * about it. For the same reason, it may load no other plug-in.
   */
  async sourceOf(text: string): Promise<ConfigSource> {
    const own = await this.text();
    const known = filesNamedIn(own.ok ? own.value : '');
    const named = filesNamedIn(text);
    const font = [...named.fonts].find((path) => !known.fonts.has(path));
    if (font !== undefined) throw new ToolError(`pdf.fonts: ${font}: ${unnamed}`);
    const { readSibling: read } = this.owner;
    const isKnown = (path: string) => [known.lists, known.models, known.looks].some((all) => all.has(path));
    const readSibling: ReadText = async (path) => (isKnown(path) ? read(path) : err(unnamed));
    const isKnownCode = [...named.plugins].every((name) => known.plugins.has(name));
    const pluginFolder = isKnownCode ? dirname(this.file) : undefined;
    return { name: this.file, pluginFolder, read: async () => ok(text), readSibling };
  }

  /** Checks such a config. All variables are empty, except the one that names plug-ins. */
  async inspect(text: string): Promise<ParseResult> {
    const { env, ...others } = ownServices();
    const services = { ...others, env: (name: string) => (name === 'RELAY_PLUGINS' ? env(name) : undefined) };
    return inspectConfig(text, await this.sourceOf(text), { services });
  }

  /** The config for tools that use the owner's servers and passwords; see `ownSource`. */
  async ownConfig(): Promise<Config> {
    const { source, parsed } = (await this.owner.setUp(await this.ownSource())).config;
    if (!parsed.ok) throw new ToolError(`${source}: ${parsed.error}`);
    if (parsed.value.ok) return parsed.value.value;
    // Excerpts quote lines, which may contain secrets.
    const own = await this.text();
    const safe = await this.inspect(own.ok ? this.viewOf(own.value).safe : '');
    const errors = safe.ok ? [] : safe.error.filter(({ severity }) => severity === 'error');
    throw new ToolError(
      `the config does not load\n\n${asWords(errors, this) || 'the owner sees why with relay config validate'}`,
    );
  }

  /**
   * The config as it was when this server started. Throws a `ToolError` if the config has changed since, by this
   * assistant or another: it could name a server of the assistant's, which would receive the owner's passwords.
   */
  async ownSource(): Promise<ConfigSource> {
    const [before, now] = [await this.#atStart, await this.text()];
    if (before.ok !== now.ok || (before.ok && now.ok && before.value !== now.value))
      throw new ToolError(
        `${this.file} has changed since relay mcp started, and this tool uses the owner's servers and passwords. ` +
          'Ask the owner to review the change and then restart relay mcp, or to run the command themselves.',
      );
    const text = now.ok ? ok(now.value) : now;
    return {
      name: this.file,
      pluginFolder: dirname(this.file),
      read: async () => text,
      readSibling: this.owner.readSibling,
    };
  }
}

const unnamed = 'an assistant’s config reads only files that the config on disk names; the owner adds others';
