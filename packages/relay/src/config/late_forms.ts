import type { Form } from '../form.ts';
import type { FormNotes, Forms, LateForms } from './forms.ts';

/** A form that was checked: what is written, as JSON. */
export interface WrittenForm {
  readonly written: string;
  readonly notes: FormNotes;
}

/** So much of what is written is built at once, in each of its languages: at some 20 bytes for each character. */
const mostCharacters = 262_144;

/** Forms that are built when they are asked for; those that were asked for last stay. `build` must not fail. */
export class FormsWhenAsked implements Forms {
  /** Those asked for last come last. */
  readonly #built = new Map<string, { readonly form: Form; readonly characters: number }>();
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
    const built = known ?? this.#buildOne(id, one.written);
    this.#built.delete(id);
    this.#built.set(id, built);
    if (!known) this.#characters += built.characters;
    for (const [other, { characters }] of this.#built) {
      if (this.#characters <= this.most || other === id) break;
      this.#built.delete(other);
      this.#characters -= characters;
    }
    return built.form;
  }

  #buildOne(id: string, written: string) {
    const form = this.build(id, written);
    return { form, characters: written.length * Math.max(1, form.variants.size) };
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
