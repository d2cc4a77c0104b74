import type { Values } from '../base/values.ts';
import type { Page } from './template.ts';

/** @param ownOrigins ALLOWED_ORIGINS; `*` names none. */
export const pageAt = (url: URL, title: string, ownOrigins: '*' | ReadonlySet<string>): Page =>
  new ReportedPage(url, title, ownOrigins !== '*' && ownOrigins.has(url.origin));

/** Parses the query on demand: few forms read it. */
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

/** A text without controls and bidirectional marks. */
export const plainText = (text: string): string =>
  text.replaceAll(/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '');
