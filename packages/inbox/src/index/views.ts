import type { Query } from '../api.ts';
import type { Forms } from '../entry_index.ts';
import type { Book } from './book.ts';
import { choose } from './choose.ts';

const mostViews = 4;

/** The rows that queries choose, newest first. The latest views are kept until something changes. */
export class Views {
  readonly #book: Book;
  readonly #views = new Map<string, Uint32Array>();

  constructor(book: Book) {
    this.#book = book;
  }

  of(query: Query, forms: Forms): Uint32Array {
    const key = JSON.stringify([query, forms && [...forms]]);
    const known = this.#views.get(key);
    if (known) return known;
    const view = choose(this.#book, query, forms);
    this.#views.set(key, view);
    const [oldest] = this.#views.keys();
    if (this.#views.size > mostViews && oldest !== undefined) this.#views.delete(oldest);
    return view;
  }

  clear(): void {
    this.#views.clear();
  }
}
