import { PluginMistake } from '@form-relay/base/client_error';
import type { Values } from '@form-relay/base/values';

/** The data available to templates (SPEC: Templating). */
export interface TemplateContext {
  readonly fields: Values;
  /** @internal The labels of the chosen options, as the visitor saw them. Default: the submitted values. */
  labels?(field: string): string;
  readonly formId: string;
  /** In UTC, as in RFC 3339. */
  readonly submittedAt: string;
  /** @internal `undefined` if the page is unknown or the form does not ask for it. */
  readonly page?: Page | undefined;
  env(name: string): string | undefined;
}

/** The page with the form, as reported by the visitor's browser. */
export interface Page {
  readonly url: string;
  readonly title: string;
  readonly query: Values;
  /** Whether mails may link to the page, because browsers can report any address. Default: no. */
  readonly isOnOwnSite?: boolean;
}

export type Read<T> = (context: TemplateContext) => T;

type Names = ReadonlySet<string>;
const none: Names = Object.freeze(new Set<string>());

export type Mentioned =
  | 'fieldNames'
  | 'envNames'
  | 'neededEnvNames'
  | 'defaults'
  | 'pagePaths'
  | 'unknownPaths';

/** A template that passed all checks, so that rendering cannot fail. */
export class Template {
  readonly source: string;
  /** @internal Literal text, the same for every submission, or a function that renders the template. */
  readonly content: string | Read<string>;
  /** @internal */ readonly fieldNames: Names = none;
  /** @internal */ readonly envNames: Names = none;
  /** @internal The variables of `envNames` that have no `default`. */
  readonly neededEnvNames: Names = none;
  /** @internal The texts given to `default`. */
  readonly defaults: Names = none;
  /** @internal The properties of the page that the template reads, such as `.page.query.utm_source`. */
  readonly pagePaths: Names = none;
  /** @internal Paths that always render empty, such as `.env` or `.feild.name`, which deserve a warning. */
  readonly unknownPaths: Names = none;

  /** @internal */ constructor(
    source: string,
    content: string | Read<string>,
    mentions: Partial<Record<Mentioned, Names>> = {},
  ) {
    this.source = source;
    this.content = content;
    Object.assign(this, mentions);
  }

  render(context: TemplateContext): string {
    return typeof this.content === 'string' ? this.content : this.content(context);
  }

  /** @internal Throws, because a plug-in's author forgot to render the template; the text would be `[object Object]`. */
  toString(): never {
    throw new PluginMistake('a key of kind secret() or template() is sent unrendered; use template(key)');
  }

  /** Whether visitors can influence the result. */
  get isSubmitted(): boolean {
    return this.fieldNames.size > 0 || this.pagePaths.size > 0;
  }
}

/** @param ownOrigins ALLOWED_ORIGINS; `*` does not count as an own origin. */
export const pageAt = (url: URL, title: string, ownOrigins: '*' | ReadonlySet<string>): Page =>
  new ReportedPage(url, title, ownOrigins !== '*' && ownOrigins.has(url.origin));

/** Parses the query only when needed, because few forms read it. */
class ReportedPage implements Page {
  readonly url: string;
  readonly isOnOwnSite: boolean;
  readonly title: string;
  readonly #address: URL;
  #query: Values | undefined;

  constructor(address: URL, title: string, isOnOwnSite: boolean) {
    this.#address = address;
    this.url = address.href;
    this.isOnOwnSite = isOnOwnSite;
    this.title = title;
  }

  get query(): Values {
    this.#query ??= queryOf(this.#address);
    return this.#query;
  }
}

function queryOf({ searchParams }: URL): Values {
  const query = new Map<string, readonly string[]>();
  for (const [name, value] of searchParams) query.set(name, [...(query.get(name) ?? []), plainText(value)]);
  return query;
}

/** The text without control characters and bidirectional marks. */
export const plainText = (text: string): string =>
  text.replaceAll(/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '');
