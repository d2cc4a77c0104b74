import type { Values } from '../base/values.ts';
import type { Field } from '../fields/field.ts';
import type { Scope } from '../schema/template/render.ts';

/** Controls that take more than one line. */
const takesLines = ['textarea', 'hidden'];

/**
 * What a template of several lines sees: a browser sends no line break from a field of one line, and one that somebody else
 * sends would begin a line that looks like the owner's.
 */
export const withLinesOfFields = (scope: Scope, fields: readonly Field[]): Scope =>
  new ScopeInLines(scope, fields);

/** Most templates above and below the fields of a mail read none of them, so nothing is worked out before it is read. */
class ScopeInLines implements Scope {
  readonly #scope: Scope;
  readonly #fields: readonly Field[];
  #values: Values | undefined;

  constructor(scope: Scope, fields: readonly Field[]) {
    this.#scope = scope;
    this.#fields = fields;
  }

  get fields(): Values {
    this.#values ??= new Map(
      [...this.#scope.fields].map(([name, values]) => [
        name,
        this.#isShort(name) ? values.map(inOneLine) : values,
      ]),
    );
    return this.#values;
  }

  labels(name: string): string {
    const words = this.#scope.labels?.(name) ?? this.#scope.fields.get(name)?.join(', ') ?? '';
    return this.#isShort(name) ? inOneLine(words) : words;
  }

  get formId() {
    return this.#scope.formId;
  }

  get submittedAt() {
    return this.#scope.submittedAt;
  }

  get page() {
    return this.#scope.page;
  }

  env(name: string) {
    return this.#scope.env(name);
  }

  #isShort(name: string): boolean {
    return this.#fields.some((field) => field.name === name && !takesLines.includes(field.type));
  }
}

const inOneLine = (text: string) => text.replaceAll(/[\n\r\v\f\x85\u2028\u2029]+/g, ' ');
