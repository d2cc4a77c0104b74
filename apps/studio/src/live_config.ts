import { createHash } from 'node:crypto';
import type { ParseResult } from '@form-relay/config/parse';
import type { Config, ConfigCache } from '@form-relay/core/config';
import type { Result } from '@form-relay/core/index';
import type { ReadText } from '@form-relay/yaml/config_text';
import type { Problem } from '@form-relay/yaml/problem';

/** The file as it stands: its text, unless it cannot be read, and what became of it. */
export interface LoadedConfig {
  readonly text: string | undefined;
  readonly result: ParseResult;
}

export type Parse = (text: string) => Promise<ParseResult>;

/** The one file that the studio was started with. */
export interface ConfigFile {
  /** The file's name, for people. */
  readonly name: string;
  /** The absolute path, which tells files of one name apart. Default: the name. */
  readonly path?: string;
  readonly load: (parse: Parse) => Promise<LoadedConfig>;
  /** Reads a file that the config names. */
  readonly readSibling: ReadText;
  /** Puts `text` into the file; `changed` when that does not hold `expected` any more. `undefined` replaces anything. */
  readonly save: (text: string, expected: string | undefined) => Promise<Result<'saved' | 'changed', string>>;
}

/** A config that changes in the file or in the page, where it is a draft until it is saved. */
export interface LiveConfig extends ConfigCache {
  /** Different for each file. */
  readonly id: string;
  /** Problems of the latest text, warnings included. Errors mean that `current` is older than the text. */
  readonly problems: readonly Problem[];
  /** The latest text, with only line feeds and without a BOM, as a page has it. */
  readonly text: string;
  /** A hash of `text`. */
  readonly textVersion: string;
  /** A hash of the file's text as it was last read. */
  readonly version: string;
  readonly isDraft: boolean;
  /** The file was changed since the draft was begun: its text now, as `text` has it; empty if it is gone. */
  readonly overtakenBy: string | undefined;
  /** Why the file cannot be read, though it is there. */
  readonly unreadable: string | undefined;
  /** Loads it again. `cache_ttl` does not matter: the owner has saved the file and wants to see it now. */
  reload(): Promise<void>;
  /** Parses a text that is not in the file yet. */
  readonly parse: Parse;
  /** Parses the latest text again. */
  check(): Promise<void>;
  /** Takes the typed text, with only line feeds. `on`: the `version` that it was made from; default: the file's now. */
  draft(text: string, on?: string): Promise<void>;
  /** Whether there is a draft, and its `textVersion` is another. `undefined`: the page does not say which it knows. */
  isOutdated(textVersion: string | undefined): boolean;
  /** Drops the draft. */
  discard(): Promise<void>;
  /** Saves the draft; `broken` when it does not load. */
  save(sure: Sure): Promise<Result<'saved' | 'changed' | 'broken', string>>;
}

/** Questions about a save to which the owner said yes. */
interface Sure {
  /** To replace what the file got meanwhile. */
  readonly overtaken: boolean;
  /** To save a config that does not load. */
  readonly broken: boolean;
}

interface Draft {
  /** As the file would have it. */
  readonly text: string;
  /** The file's text that it was made from; `undefined` for a text that is not known here. */
  readonly from: string | undefined;
}

/** A missing file can be created; a directory, for example, is not replaced. */
const whyUnreadable = (problems: readonly Problem[]): string | undefined =>
  problems.find(({ code, message }) => code === 'config_unreadable' && !message.includes('no such file'))
    ?.message;

export function createLiveConfig(source: ConfigFile, parse: Parse): LiveConfig {
  let current: Config | undefined;
  let problems: readonly Problem[] = [];
  let isBroken = true;
  /** As the file was last read. */
  let inFile = '';
  /** The file cannot be read any more, or not yet. */
  let isAway = true;
  let draft: Draft | undefined;
  let version = '';
  let unreadable: string | undefined;

  const take = async (result: ParseResult) => {
    isBroken = !result.ok;
    if (result.ok) current = result.value;
    problems = result.ok ? await result.value.warnings() : result.error;
  };
  const reload = async () => {
    const { text, result } = await source.load(parse);
    inFile = text ?? inFile;
    isAway = text === undefined;
    version = hashOf(inFile);
    unreadable = isAway && !result.ok ? whyUnreadable(result.error) : undefined;
    if (draft?.text === inFile) draft = undefined;
    if (draft === undefined) await take(result);
  };
  const latest = () => plainText(draft?.text ?? inFile);
  return {
    sourceName: source.name,
    // The studio has no metrics.
    loads: { changed: 0, unchanged: 0, invalid: 0, unavailable: 0 },
    checkedAt: undefined,
    get: () => current,
    id: hashOf(source.path ?? source.name),
    get current() {
      return current;
    },
    get problems() {
      return problems;
    },
    get state() {
      if (!isBroken) return 'fresh';
      return current ? 'refresh_failed' : 'never_loaded';
    },
    get text() {
      return latest();
    },
    get textVersion() {
      return hashOf(latest());
    },
    get version() {
      return version;
    },
    get isDraft() {
      return draft !== undefined;
    },
    get overtakenBy() {
      const now = isAway ? '' : inFile;
      return draft !== undefined && draft.from !== now ? plainText(now) : undefined;
    },
    get unreadable() {
      return unreadable;
    },
    reload,
    parse,
    check: async () => {
      if (draft) await take(await parse(draft.text));
      else await reload();
    },
    isOutdated: (known) => draft !== undefined && known !== undefined && known !== hashOf(latest()),
    discard: async () => {
      draft = undefined;
      await reload();
    },
    draft: async (typed, on = version) => {
      const from = draft ? draft.from : on === version ? inFile : undefined;
      const text = asInFile(typed, from ?? inFile);
      draft = text === inFile ? undefined : { text, from };
      const result = await parse(text);
      // A later one may have been checked sooner.
      if ((draft?.text ?? inFile) === text) await take(result);
    },
    save: async ({ overtaken, broken }) => {
      if (draft === undefined) return { ok: true, value: 'saved' };
      const { text, from } = draft;
      if (!broken && !(await parse(text)).ok) return { ok: true, value: 'broken' };
      if (overtaken) await reload();
      if (from === undefined && !overtaken) return { ok: true, value: 'changed' };
      const written = await source.save(text, overtaken ? undefined : from);
      // The text typed meanwhile is a draft of what the file has now.
      if (written.ok && written.value === 'saved' && draft) draft = { ...draft, from: text };
      await reload();
      return written;
    },
  };
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');

/** With only line feeds, and without a BOM. */
export const plainText = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');

/** `typed`, which only has line feeds, as the file would have it: with its BOM and its most frequent line end. */
export function asInFile(typed: string, file: string): string {
  const mark = file.startsWith('\uFEFF') ? '\uFEFF' : '';
  const counts = new Map<string, number>();
  for (const [end] of file.matchAll(/\r\n?|\n/g)) counts.set(end, (counts.get(end) ?? 0) + 1);
  const [usual = '\n'] = [...counts].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  return mark + typed.replaceAll('\n', usual);
}
