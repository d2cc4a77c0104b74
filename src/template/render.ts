import type { Values } from '../values.ts';

/** All that a template can see of a submission and its surroundings (SPEC: Templating). */
export interface Scope {
  readonly fields: Values;
  readonly formId: string;
  /** UTC, RFC 3339. */
  readonly submittedAt: string;
  env(name: string): string | undefined;
}

/** What a template mentions. */
export interface Mentions {
  /** Fields that it reads. When empty, a visitor has no influence on the result. */
  readonly fieldNames: ReadonlySet<string>;
  readonly envNames: ReadonlySet<string>;
  /** Those of `envNames` that no `default` stands in for. */
  readonly neededEnvNames: ReadonlySet<string>;
  /** The texts that stand in for empty values. */
  readonly defaults: ReadonlySet<string>;
  /** Paths that always render empty, such as `.env` or `.feild.name`: worth a warning. */
  readonly unknownPaths: ReadonlySet<string>;
}

/** A template that has passed every check; rendering it cannot fail (D12). */
export interface Template extends Mentions {
  readonly source: string;
  render(scope: Scope): string;
  /** True when it has no action: it renders to the same text always. */
  readonly isLiteral: boolean;
}

export type Read<T> = (scope: Scope) => T;

/** Literal text, or an action. */
export type Part = string | Read<string>;

const noNames: ReadonlySet<string> = Object.freeze(new Set<string>());

/** Has two properties of its own, because most templates of a large config are plain text. */
export class LiteralTemplate implements Template {
  readonly source: string;
  readonly text: string;

  constructor(source: string, text: string) {
    this.source = source;
    this.text = text;
  }

  render(): string {
    return this.text;
  }

  get isLiteral() {
    return true;
  }
  get fieldNames() {
    return noNames;
  }
  get envNames() {
    return noNames;
  }
  get neededEnvNames() {
    return noNames;
  }
  get defaults() {
    return noNames;
  }
  get unknownPaths() {
    return noNames;
  }
}

export class ActionTemplate implements Template {
  readonly source: string;
  readonly render: Read<string>;
  readonly fieldNames: ReadonlySet<string>;
  readonly envNames: ReadonlySet<string>;
  readonly neededEnvNames: ReadonlySet<string>;
  readonly defaults: ReadonlySet<string>;
  readonly unknownPaths: ReadonlySet<string>;

  constructor(source: string, parts: readonly Part[], mentions: Mentions) {
    const { fieldNames, envNames, neededEnvNames, defaults, unknownPaths } = mentions;
    this.source = source;
    this.render = concatenate(parts);
    this.fieldNames = fieldNames.size > 0 ? fieldNames : noNames;
    this.envNames = envNames.size > 0 ? envNames : noNames;
    this.neededEnvNames = neededEnvNames.size > 0 ? neededEnvNames : noNames;
    this.defaults = defaults.size > 0 ? defaults : noNames;
    this.unknownPaths = unknownPaths.size > 0 ? unknownPaths : noNames;
  }

  get isLiteral() {
    return false;
  }
}

export const isTemplate = (value: unknown): value is Template =>
  value instanceof LiteralTemplate || value instanceof ActionTemplate;

function concatenate(parts: readonly Part[]): Read<string> {
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'function') return only;
  return (scope) => {
    let text = '';
    for (const part of parts) text += typeof part === 'string' ? part : part(scope);
    return text;
  };
}
