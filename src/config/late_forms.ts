import type { Form } from '../form.ts';
import type { FormNotes, Forms, LateForms } from './forms.ts';

/** A form that was checked: what is written, as JSON. */
export interface WrittenForm {
  readonly written: string;
  readonly notes: FormNotes;
}

/** So much of what is written is built at once, at some 20 bytes for each character. */
const mostCharacters = 262_144;

/** Forms that are built when they are asked for; those that were asked for last stay. `build` must not fail. */
export class FormsWhenAsked implements Forms {
  /** Those asked for last come last. */
  readonly #built = new Map<string, Form>();
  #characters = 0;

  constructor(
    private readonly written: ReadonlyMap<string, WrittenForm>,
    private readonly build: (id: string, written: string) => Form,
    private readonly most: number = mostCharacters,
  ) {}

  get late(): LateForms {
    return {
      notes: [...this.written.values()].map(({ notes }) => notes),
      changed: (change) =>
        new FormsWhenAsked(this.written, (id, written) => change(this.build(id, written)), this.most),
    };
  }

  get(id: string): Form | undefined {
    const one = this.written.get(id);
    if (!one) return undefined;
    const known = this.#built.get(id);
    const form = known ?? this.build(id, one.written);
    this.#built.delete(id);
    this.#built.set(id, form);
    if (known) return form;
    this.#characters += one.written.length;
    for (const other of this.#built.keys()) {
      if (this.#characters <= this.most || other === id) break;
      this.#built.delete(other);
      this.#characters -= this.written.get(other)?.written.length ?? 0;
    }
    return form;
  }

  get size(): number {
    return this.written.size;
  }

  has(id: string): boolean {
    return this.written.has(id);
  }

  keys(): MapIterator<string> {
    return this.written.keys();
  }

  *entries(): MapIterator<[string, Form]> {
    for (const id of this.written.keys()) {
      const form = this.get(id);
      if (form) yield [id, form];
    }
  }

  *values(): MapIterator<Form> {
    for (const [, form] of this.entries()) yield form;
  }

  [Symbol.iterator](): MapIterator<[string, Form]> {
    return this.entries();
  }

  forEach(callback: (form: Form, id: string, forms: ReadonlyMap<string, Form>) => void): void {
    for (const [id, form] of this) callback(form, id, this);
  }
}
