import type { PageContext } from '../../base/page_context.ts';
import type { Values } from '../../base/values.ts';

/** All that a template can see of a submission and its surroundings (SPEC: Templating). */
export interface Scope {
  readonly fields: Values;
  /** What was chosen in a field, as its visitor read it. Default: as it was submitted. */
  labels?(field: string): string;
  readonly formId: string;
  /** UTC, RFC 3339. */
  readonly submittedAt: string;
  /** `undefined` when unknown, and in forms that do not ask for it. */
  readonly page?: PageContext | undefined;
  env(name: string): string | undefined;
}

/** What a template mentions. */
export interface Mentions {
  /** Fields that it reads. */
  readonly fieldNames: ReadonlySet<string>;
  readonly envNames: ReadonlySet<string>;
  /** Those of `envNames` that no `default` stands in for. */
  readonly neededEnvNames: ReadonlySet<string>;
  /** The texts that stand in for empty values. */
  readonly defaults: ReadonlySet<string>;
  /** What it reads of the page that a submission came from, such as `.page.query.utm_source`. */
  readonly pagePaths: ReadonlySet<string>;
  /** Paths that always render empty, such as `.env` or `.feild.name`: worth a warning. */
  readonly unknownPaths: ReadonlySet<string>;
}

export type Read<T> = (scope: Scope) => T;

const noNames: ReadonlySet<string> = Object.freeze(new Set<string>());
const nothing: Partial<Mentions> = {};

/** A template that has passed every check; rendering it cannot fail (D12). */
export class Template implements Mentions {
  readonly source: string;
  /** A text is the same for every submission. */
  readonly content: string | Read<string>;
  readonly #mentions: Partial<Mentions>;

  constructor(source: string, content: string | Read<string>, mentions = nothing) {
    this.source = source;
    this.content = content;
    this.#mentions = mentions;
  }

  render(scope: Scope): string {
    return typeof this.content === 'string' ? this.content : this.content(scope);
  }

  /** True when it has no action. */
  get isLiteral() {
    return typeof this.content === 'string';
  }
  get fieldNames() {
    return this.#mentions.fieldNames ?? noNames;
  }
  get envNames() {
    return this.#mentions.envNames ?? noNames;
  }
  get neededEnvNames() {
    return this.#mentions.neededEnvNames ?? noNames;
  }
  get defaults() {
    return this.#mentions.defaults ?? noNames;
  }
  get pagePaths() {
    return this.#mentions.pagePaths ?? noNames;
  }
  /** Whether a visitor has an influence on the result. */
  get isSubmitted() {
    return this.fieldNames.size > 0 || this.pagePaths.size > 0;
  }
  get unknownPaths() {
    return this.#mentions.unknownPaths ?? noNames;
  }
}
