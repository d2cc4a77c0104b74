import type { Properties, Schema } from './schema.ts';
import { didYouMean, type Named, words } from './suggestion.ts';
import type { Template } from './template.ts';

/** The path of a value in a config: keys of maps, and 0-based positions in lists. */
export type Path = readonly (string | number)[];

const isInside = (path: Path, around: Path): boolean => around.every((step, index) => path[index] === step);

/** Finds the items in a part of the config. Indexed by form, because each of thousands of forms searches for its own. */
export function finderIn<T extends { readonly path: Path }>(all: readonly T[]) {
  const bySecondStep = new Map<unknown, T[]>();
  for (const one of all) {
    const known = bySecondStep.get(one.path[1]);
    if (known) known.push(one);
    else bySecondStep.set(one.path[1], [one]);
  }
  return (around: Path): readonly T[] => {
    const near = around.length < 2 ? all : (bySecondStep.get(around[1]) ?? []);
    return near.filter(({ path }) => isInside(path, around));
  };
}

/** A range of a text, in UTF-16 units. */
export interface Place {
  readonly offset: number;
  readonly length: number;
}

/** A mistake or a warning about a config, before its line and column in the file are known. */
export interface Diagnostic extends About {
  readonly path: Path;
  /** The mistake, and what to write instead. Never quotes a secret. */
  readonly message: string;
}

/** Details of a mistake. */
export interface About {
  /** A code that identifies the mistake for programs. */
  readonly code?: string | undefined;
  /** @internal The warning may disappear without a change of the config, for example when a font is installed. */
  readonly mayPass?: boolean | undefined;
  /** Whether the key itself is wrong, not its value. */
  readonly aboutKey?: boolean | undefined;
  /** @internal The part of the value that is wrong, such as an action of a template; `of` is the whole value. */
  readonly within?: (Place & { readonly of: string }) | undefined;
  /** The word probably meant instead of `word`. The message ends with it. */
  readonly suggestion?: string | undefined;
  /** @internal The word that was found. Default: the wrong key. */
  readonly word?: string | undefined;
  /** @internal The path that was probably meant. A required key at this path is not reported as missing. */
  readonly meantAs?: Path | undefined;
  /** @internal The words allowed in place of `word`. The suggestion among them is found in the same way as for keys. */
  readonly options?: readonly Named[] | undefined;
  /** @internal The fix, if there is only one: `remove` deletes the key; a list sets keys by their paths. */
  readonly fix?: Fix | undefined;
  /** @internal A key that its map does not know. The suggestion is found when all mistakes are known (config/advice). */
  readonly unknownKey?: { readonly known: Properties; readonly map: object } | undefined;
}

export type Fix = 'remove' | readonly (readonly [path: Path, value: unknown])[];

export interface PlacedTemplate {
  readonly path: Path;
  readonly template: Template;
}

export interface TextsRead {
  readonly templates: PlacedTemplate[];
  readonly forVisitors: { readonly path: Path; readonly text: string }[];
}

/** An environment variable and the place in the config that reads it. */
export interface EnvUse {
  readonly name: string;
  readonly path: Path;
  /** Whether the feature that reads it fails without it. */
  readonly isNeeded: boolean;
}

type Localized = readonly { readonly path: Path; readonly languages: readonly string[] }[];

/** Everything that reading a config reports besides its value. */
export class Report {
  readonly env: EnvUse[] = [];
  readonly errors: Diagnostic[] = [];
  /** Warnings about parts that work but are probably not intended. */
  readonly warnings: Diagnostic[] = [];
  readonly localized: Localized[number][] = [];
  /** Tells whether a scalar is written without quotes; set only if a schema asks (`Diagnostics.isPlain`). */
  plain: ((path: Path) => boolean) | undefined;
  /** Whether a schema asked for `plain`: the config is then read again, with `plain` set. */
  needsPlain = false;
  /** Reads a field of any type, for field types that consist of fields. */
  readField?: Schema<unknown>;
  /** The config as written: texts, lists, maps and null. */
  readonly written: unknown;
  /** Every template and every text for visitors, for warnings about them. `undefined` if no warnings are wanted. */
  readonly texts: TextsRead | undefined;
  #localizedIn: ((around: Path) => Localized) | undefined;

  constructor(written?: unknown, texts?: TextsRead) {
    this.written = written;
    this.texts = texts;
  }

  /** Call this only after the config was read. */
  localizedIn(around: Path): Localized {
    this.#localizedIn ??= finderIn(this.localized);
    return this.#localizedIn(around);
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A place in a config, and the report for its mistakes. */
export class Diagnostics {
  readonly path: Path;
  /** @internal */ readonly report: Report;

  /** @internal */ constructor(path: Path = [], report = new Report()) {
    this.path = path;
    this.report = report;
  }

  /** @internal Whether the scalar here is written without quotes, so that it may be a number or a boolean in JSON. */
  get isPlain(): boolean {
    this.report.needsPlain ||= this.report.plain === undefined;
    return this.report.plain?.(this.path) ?? false;
  }

  /** @internal */ get mistakes(): readonly Diagnostic[] {
    return this.report.errors;
  }

  /** @internal */ get isWrong(): boolean {
    return this.mistakes.some(({ path }) => isInside(path, this.path));
  }

  /** @internal The value here as written; `undefined` for a default. */
  get written(): unknown {
    return this.path.reduce<unknown>(
      (value, step) => (isObject(value) && Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined),
      this.report.written,
    );
  }

  /** The place at this path from the top of the config. */
  fromTop(...path: Path): Diagnostics {
    return new Diagnostics(path, this.report);
  }

  in(...steps: Path): Diagnostics {
    return new Diagnostics([...this.path, ...steps], this.report);
  }

  /** Reports a mistake; returns `undefined`, so that a schema can return the result. */
  error(message: string, about: About = {}): undefined {
    this.report.errors.push({ path: this.path, ...about, message: message + didYouMean(about.suggestion) });
  }

  /** Warns about something that works but is probably unintended. The config still loads. */
  warning(message: string, about: About = {}): undefined {
    this.report.warnings.push({ path: this.path, ...about, message: message + didYouMean(about.suggestion) });
  }

  /** Reports a value of the wrong kind: `found "5"; expected a list`. */
  found(value: unknown, instead: string, about?: About): undefined {
    this.error(`found ${shown(value, this)}; ${instead}`, about);
  }

  /** Records required environment variables: the log and `/readyz` name those that are not set. */
  needsEnv(...names: readonly string[]): void {
    for (const name of names) this.report.env.push({ name, path: this.path, isNeeded: true });
  }

  /** Records environment variables that are read but may be unset. */
  usesEnv(...names: readonly string[]): void {
    for (const name of names) this.report.env.push({ name, path: this.path, isNeeded: false });
  }
}

/** A value in words, or its kind; never quotes a text that may be a secret. */
export function shown(found: unknown, { path }: Pick<Diagnostics, 'path'>): string {
  if (found === null || found === undefined) return 'nothing';
  if (found === '') return 'empty text';
  if (typeof found === 'string')
    return isSecret(path) ? 'text' : `"${found.length > 40 ? `${found.slice(0, 40)}…` : found}"`;
  return Array.isArray(found) ? 'a list' : 'a map';
}

export const secretNames = words(
  'password secret token username client_secret refresh_token service_account private_key',
);
const secretKeys = new Set(['headers', ...secretNames]);

/** Whether the value at `path` must not be shown. Any header may be a credential, and `sign` may hold a secret instead of a map. */
export const isSecret = (path: Path): boolean =>
  path.at(-1) === 'sign' || path.some((key) => secretKeys.has(String(key)));

/** A path without the name of a form, because a form may be named like a key. */
export const ownPath = (path: Path): Path => (path[0] === 'forms' ? path.slice(2) : path);

/** For example `1, 2 or 3`. */
export const either = (options: readonly string[]): string =>
  options.length < 2 ? options.join() : `${options.slice(0, -1).join(', ')} or ${options.at(-1)}`;
