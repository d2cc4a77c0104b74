import type { Values } from '../base/values.ts';

/** The data available to templates (SPEC: Templating). */
export interface TemplateContext {
  readonly fields: Values;
  /** The labels of chosen options, as visitors read them. Default: the submitted values. */
  labels?(field: string): string;
  readonly formId: string;
  /** UTC, RFC 3339. */
  readonly submittedAt: string;
  /** `undefined` if unknown, and in forms that do not ask for it. */
  readonly page?: Page | undefined;
  env(name: string): string | undefined;
}

/** The page on which a form was filled in, as the visitor's browser says. */
export interface Page {
  readonly url: string;
  readonly title: string;
  readonly query: Values;
  /** Whether mails may link to it: browsers may say anything. Default: no. */
  readonly isOnOwnSite?: boolean;
}

export type Read<T> = (context: TemplateContext) => T;

/** The names in a template. */
export interface Mentions {
  readonly fieldNames: ReadonlySet<string>;
  readonly envNames: ReadonlySet<string>;
  /** The `envNames` without a `default`. */
  readonly neededEnvNames: ReadonlySet<string>;
  /** The texts of `default`. */
  readonly defaults: ReadonlySet<string>;
  /** The properties of the page that it reads, such as `.page.query.utm_source`. */
  readonly pagePaths: ReadonlySet<string>;
  /** Paths that always render empty, such as `.env` or `.feild.name`, which deserve a warning. */
  readonly unknownPaths: ReadonlySet<string>;
}

const noNames: ReadonlySet<string> = Object.freeze(new Set<string>());
const nothing: Partial<Mentions> = {};

/** A template that passed all checks, so that rendering cannot fail. */
export class Template implements Mentions {
  readonly source: string;
  /** Plain text is the same for every submission. */
  readonly content: string | Read<string>;
  readonly #mentions: Partial<Mentions>;

  constructor(source: string, content: string | Read<string>, mentions = nothing) {
    this.source = source;
    this.content = content;
    this.#mentions = mentions;
  }

  render(context: TemplateContext): string {
    return typeof this.content === 'string' ? this.content : this.content(context);
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
  get unknownPaths() {
    return this.#mentions.unknownPaths ?? noNames;
  }

  /** Whether it has no action. */
  get isLiteral(): boolean {
    return typeof this.content === 'string';
  }

  /** Whether visitors can influence the result. */
  get isSubmitted(): boolean {
    return this.fieldNames.size > 0 || this.pagePaths.size > 0;
  }
}
