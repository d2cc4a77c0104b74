import type { Result } from '@form-relay/relay/base';
import type { Config, ConfigCache, ParseResult, Problem } from '@form-relay/relay/config';

/** The file as it stands: its text, unless it cannot be read, and what became of it. */
export interface LoadedConfig {
  readonly text: string | undefined;
  readonly result: ParseResult;
}

/** The one file that the studio was started with. */
export interface ConfigFile {
  /** Its name, for people. */
  readonly name: string;
  readonly load: () => Promise<LoadedConfig>;
  /** Checks a text that is not in the file yet. */
  readonly parse: (text: string) => Promise<ParseResult>;
  /** Puts `text` into the file; `changed` when that does not hold `expected` any more. `undefined` replaces anything. */
  readonly save: (text: string, expected: string | undefined) => Promise<Result<'saved' | 'changed', string>>;
}

/**
 * A config that changes under the owner's hands, in the file or in the page: its last good version, and what is wrong with
 * the latest. What is typed into the page is a draft, which is used at once and goes into the file only when it is saved.
 */
export interface LiveConfig extends ConfigCache {
  /** Of the latest text; warnings too, also beside errors. Errors mean that `current` is older than the text. */
  readonly problems: readonly Problem[];
  /** The latest text, with line feeds alone, as a page has it. */
  readonly text: string;
  readonly isDraft: boolean;
  /** The file was changed, or taken away, since the draft was begun. */
  readonly isOvertaken: boolean;
  /** Loads it again. `cache_ttl` does not matter: the owner has saved the file and wants to see it now. */
  reload(): Promise<void>;
  draft(text: string): Promise<void>;
  /** The last save can be undone: the file still holds what it wrote. */
  readonly isSaveUndoable: boolean;
  /** Discards the draft; without one, puts back into the file what stood there before the last save. */
  revert(): Promise<Result<'saved' | 'changed', string>>;
  /** Saves the draft; `broken` when it does not load. */
  save(sure: Sure): Promise<Result<'saved' | 'changed' | 'broken', string>>;
}

/** What the owner was asked about a save, and wants all the same. */
interface Sure {
  /** To replace what the file got meanwhile. */
  readonly overtaken: boolean;
  /** To save a config that does not load. */
  readonly broken: boolean;
}

export function createLiveConfig(source: ConfigFile): LiveConfig {
  let current: Config | undefined;
  let problems: readonly Problem[] = [];
  let isBroken = true;
  /** As the file was last read. */
  let inFile = '';
  /** It cannot be read any more, or not yet. */
  let isAway = true;
  /** What is typed, and the file's text that it was made of. */
  let draft: { readonly text: string; readonly from: string } | undefined;
  /** What each save replaced, and wrote; the latest is last. */
  const saves: { readonly before: string; readonly after: string }[] = [];

  const take = async (result: ParseResult) => {
    isBroken = !result.ok;
    if (result.ok) current = result.value;
    problems = result.ok ? await result.value.warnings() : result.error;
  };
  const reload = async () => {
    const { text, result } = await source.load();
    inFile = text ?? inFile;
    isAway = text === undefined;
    if (draft?.text === inFile) draft = undefined;
    if (draft === undefined) await take(result);
  };
  return {
    sourceName: source.name,
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
      return (draft?.text ?? inFile).replaceAll('\r\n', '\n');
    },
    get isDraft() {
      return draft !== undefined;
    },
    get isOvertaken() {
      return draft !== undefined && draft.from !== (isAway ? '' : inFile);
    },
    get isSaveUndoable() {
      return !isAway && saves.at(-1)?.after === inFile;
    },
    get: () => current,
    reload,
    draft: async (typed) => {
      const from = draft?.from ?? inFile;
      // The file keeps its own line ends: a page has line feeds alone.
      const text = from.includes('\r\n') ? typed.replaceAll(/\r?\n/g, '\r\n') : typed;
      draft = text === inFile ? undefined : { text, from };
      const result = await source.parse(text);
      // A later one may have been checked sooner.
      if ((draft?.text ?? inFile) === text) await take(result);
    },
    revert: async () => {
      const last = draft === undefined && !isAway ? saves.at(-1) : undefined;
      const undone = last ? await source.save(last.before, last.after) : saved;
      if (last && undone.ok) saves.pop();
      draft = undefined;
      await reload();
      return undone;
    },
    save: async ({ overtaken, broken }) => {
      if (draft === undefined) return saved;
      const { text, from } = draft;
      if (!broken && !(await source.parse(text)).ok) return { ok: true, value: 'broken' };
      if (overtaken) await reload();
      const before = isAway ? undefined : inFile;
      const written = await source.save(text, overtaken ? undefined : from);
      if (written.ok && written.value === 'saved') {
        if (before !== undefined) saves.push({ before, after: text });
        // The text typed meanwhile is a draft of what the file has now.
        if (draft) draft = { ...draft, from: text };
      }
      await reload();
      return written;
    },
  };
}

const saved = { ok: true, value: 'saved' } as const;
