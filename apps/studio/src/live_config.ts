import { createHash } from 'node:crypto';
import type { ParseResult } from '@form-relay/config/parse';
import type { Config, ConfigCache, ConfigState } from '@form-relay/core/config';
import type { Result } from '@form-relay/core/index';
import type { ReadText } from '@form-relay/yaml/config_text';
import type { Problem } from '@form-relay/yaml/problem';

/** The file's text, unless it cannot be read, and the result of parsing it. */
export interface LoadedConfig {
  readonly text: string | undefined;
  readonly result: ParseResult;
}

export type Parse = (text: string) => Promise<ParseResult>;

/** The file with which the studio was started. */
export interface ConfigFile {
  /** The file's name for display. */
  readonly name: string;
  /** The absolute path, which distinguishes files of the same name. Default: the name. */
  readonly path?: string;
  readonly load: (parse: Parse) => Promise<LoadedConfig>;
  /** Reads another file that the config names. */
  readonly readSibling: ReadText;
  /** Writes `text`, or returns `changed` if the file is not `expected`. `undefined` overwrites anything. */
  readonly save: (text: string, expected: string | undefined) => Promise<Result<'saved' | 'changed', string>>;
}

/** Questions about saving that the owner has confirmed. */
interface Sure {
  /** Overwrite changes that another program made to the file. */
  readonly overtaken: boolean;
  /** Save a config that does not load. */
  readonly broken: boolean;
}

interface Draft {
  /** The text as it would be in the file. */
  readonly text: string;
  /** The file's text on which it is based; `undefined` if that is unknown. */
  readonly from: string | undefined;
}

/** A missing file can be created; other obstacles, such as a directory, are not replaced. */
const whyUnreadable = (problems: readonly Problem[]): string | undefined =>
  problems.find(({ code, message }) => code === 'config_unreadable' && !message.includes('no such file'))
    ?.message;

/** A config that changes in the file, or in the page, where it is a draft until it is saved. */
export class LiveConfig implements ConfigCache {
  readonly sourceName: string;
  /** Unique for each file. */
  readonly id: string;
  /** Parses a text that is not in the file yet. */
  readonly parse: Parse;
  // The studio has no metrics.
  readonly loads = { changed: 0, unchanged: 0, invalid: 0, unavailable: 0 };
  readonly checkedAt = undefined;
  current: Config | undefined;
  /** Problems of the latest text, including warnings. Errors mean that `current` is older than the text. */
  problems: readonly Problem[] = [];
  /** A hash of the file's last read text. */
  version = '';
  /** Why an existing file cannot be read. */
  unreadable: string | undefined;
  readonly #source: ConfigFile;
  #isBroken = true;
  /** The file's text when it was last read. */
  #inFile = '';
  /** Whether the file cannot be read at the moment. */
  #isAway = true;
  #draft: Draft | undefined;

  constructor(source: ConfigFile, parse: Parse) {
    this.#source = source;
    this.sourceName = source.name;
    this.id = hashOf(source.path ?? source.name);
    this.parse = parse;
  }

  get(): Config | undefined {
    return this.current;
  }

  get state(): ConfigState {
    if (!this.#isBroken) return 'fresh';
    return this.current ? 'refresh_failed' : 'never_loaded';
  }

  /** The latest text as a page has it: only line feeds, no BOM. */
  get text(): string {
    return plainText(this.#draft?.text ?? this.#inFile);
  }

  get textVersion(): string {
    return hashOf(this.text);
  }

  get isDraft(): boolean {
    return this.#draft !== undefined;
  }

  /** The file's current text if the file has changed since the draft was started; empty if it is gone. */
  get overtakenBy(): string | undefined {
    const now = this.#isAway ? '' : this.#inFile;
    return this.#draft && this.#draft.from !== now ? plainText(now) : undefined;
  }

  /** Loads the file again, regardless of `cache_ttl`: the owner has saved it and wants to see the result. */
  async reload(): Promise<void> {
    const { text, result } = await this.#source.load(this.parse);
    this.#inFile = text ?? this.#inFile;
    this.#isAway = text === undefined;
    this.version = hashOf(this.#inFile);
    this.unreadable = this.#isAway && !result.ok ? whyUnreadable(result.error) : undefined;
    if (this.#draft?.text === this.#inFile) this.#draft = undefined;
    if (this.#draft === undefined) await this.#take(result);
  }

  /** Parses the latest text again. */
  async check(): Promise<void> {
    if (this.#draft) await this.#take(await this.parse(this.#draft.text));
    else await this.reload();
  }

  async #take(result: ParseResult): Promise<void> {
    this.#isBroken = !result.ok;
    if (result.ok) this.current = result.value;
    this.problems = result.ok ? await result.value.warnings() : result.error;
  }

  /** Takes the typed text, which has only line feeds. `on`: the `version` on which it is based; default: the file's current one. */
  async draft(typed: string, on = this.version): Promise<void> {
    const from = this.#draft ? this.#draft.from : on === this.version ? this.#inFile : undefined;
    const text = asInFile(typed, from ?? this.#inFile);
    this.#draft = text === this.#inFile ? undefined : { text, from };
    const result = await this.parse(text);
    // A newer text may already have been checked.
    if ((this.#draft?.text ?? this.#inFile) === text) await this.#take(result);
  }

  /** Whether the draft's `textVersion` differs. `undefined`: the page does not say what it knows. */
  isOutdated(known: string | undefined): boolean {
    return this.isDraft && known !== undefined && known !== this.textVersion;
  }

  /** Drops the draft. */
  async discard(): Promise<void> {
    this.#draft = undefined;
    await this.reload();
  }

  /** Saves the draft; returns `broken` if it does not load. */
  async save({ overtaken, broken }: Sure): Promise<Result<'saved' | 'changed' | 'broken', string>> {
    if (this.#draft === undefined) return { ok: true, value: 'saved' };
    const { text, from } = this.#draft;
    if (!broken && !(await this.parse(text)).ok) return { ok: true, value: 'broken' };
    if (overtaken) await this.reload();
    if (from === undefined && !overtaken) return { ok: true, value: 'changed' };
    const written = await this.#source.save(text, overtaken ? undefined : from);
    // Text typed meanwhile becomes a draft based on the saved text.
    if (written.ok && written.value === 'saved' && this.#draft) this.#draft = { ...this.#draft, from: text };
    await this.reload();
    return written;
  }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');

/** Converts to line feeds, and removes the BOM. */
export const plainText = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');

/** Converts typed text to the file's format: with its BOM and its most frequent line ending. */
export function asInFile(typed: string, file: string): string {
  const mark = file.startsWith('\uFEFF') ? '\uFEFF' : '';
  const counts = new Map<string, number>();
  for (const [end] of file.matchAll(/\r\n?|\n/g)) counts.set(end, (counts.get(end) ?? 0) + 1);
  const [usual = '\n'] = [...counts].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  return mark + typed.replaceAll('\n', usual);
}
