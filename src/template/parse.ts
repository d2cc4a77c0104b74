import { Cursor, isSpace, Mistake, type Span, type TemplateProblem } from './cursor.ts';
import { functions, type TemplateFunction } from './functions.ts';
import { isBoolean, readLiteral } from './literal.ts';
import { ActionTemplate, LiteralTemplate, type Part, type Read, type Template } from './render.ts';

/**
 * Reads the `{{ ... }}` language and checks all that rendering relies on: the functions, the number and
 * types of their values, and that the names for `env` and `values` are literal (SPEC: Templating, D12).
 */
export function parseTemplate(source: string): Template | TemplateProblem {
  try {
    return compile(source);
  } catch (error) {
    if (error instanceof Mistake) return error.problem;
    throw error;
  }
}

/**
 * Splits at commas in literal text outside actions, into templates of their own, without the space
 * around them (D13: recipients). Blank ones are dropped.
 */
export function splitAtCommas(template: Template): readonly Template[] {
  const { source } = template;
  const pieces: Template[] = [];
  let start = 0;
  const cut = (end: number) => {
    const piece = compile(source.slice(start, end).trim());
    if (!(piece instanceof LiteralTemplate && piece.text.trim() === '')) pieces.push(piece);
    start = end + 1;
  };
  for (const text of new Parser(source).parse().texts) {
    for (let at = text.start; at < text.end; at++) if (source[at] === ',') cut(at);
  }
  cut(source.length);
  return pieces;
}

function compile(source: string): Template {
  if (!source.includes('{{')) return new LiteralTemplate(source, source);
  const parsed = new Parser(source).parse();
  return parsed.parts.every((part) => typeof part === 'string')
    ? new LiteralTemplate(source, parsed.parts.join(''))
    : new ActionTemplate(source, parsed.parts, parsed);
}

/** A value in an action: known now, or read from each submission. */
type Value = Span & { readonly neededEnvNames: readonly string[] } & (
    | { readonly type: 'literal'; readonly text: string }
    | { readonly type: 'text'; readonly read: Read<string> }
    | { readonly type: 'list'; readonly read: Read<readonly string[]> }
  );

/** Of the variables in the values of a call, those that its result needs. */
const needed = ({ reads, standsIn }: TemplateFunction, values: readonly Value[]): readonly string[] =>
  standsIn
    ? []
    : values.flatMap((value) =>
        value.type === 'literal' && reads === 'envNames' ? value.text : value.neededEnvNames,
      );

const CONTROL_WORDS = 'if else range with define block template break continue end'.split(' ');
const ORDINALS = ['first', 'second'];

const MISSING_VALUE = 'missing value';
const COMMENT_FORM = 'a comment touches its braces: {{/* like this */}} or {{- /* this */ -}}';
const PATH_FORM =
  'after "." comes a name that starts with a letter; another field name needs (join "," (values "name"))';
const YAML_FORM = `and in YAML single ones around it all: '{{ env "NAME" }}'`;
const QUOTE_FORM = `text needs straight double quotes, ${YAML_FORM}`;
/** What to say about a character that starts no value. */
const NO_VALUE: ReadonlyMap<string | undefined, string> = new Map([
  ['|', MISSING_VALUE],
  [')', MISSING_VALUE],
  ['}', MISSING_VALUE],
  ['/', COMMENT_FORM],
  ["'", QUOTE_FORM],
  ['“', QUOTE_FORM],
  ['”', QUOTE_FORM],
  ['$', 'variables are not available: templates only insert values'],
]);

/** Functions and parentheses in one action. Bounds the stack, both here and when rendering. */
const MAX_STEPS = 100;

class Parser extends Cursor {
  readonly parts: Part[] = [];
  /** Where the literal text stands in the source. */
  readonly texts: Span[] = [];
  readonly fieldNames = new Set<string>();
  readonly envNames = new Set<string>();
  readonly neededEnvNames = new Set<string>();
  readonly unknownPaths = new Set<string>();

  private steps = 0;

  parse(): this {
    const { source } = this;
    for (;;) {
      const start = this.at;
      this.open = source.indexOf('{{', start);
      if (this.open === -1) {
        this.addText(start, source.length);
        return this;
      }
      this.at = this.open + 2;
      let end = this.open;
      if (this.sees('-') && isSpace(source[this.at + 1])) {
        this.at += 2;
        while (end > start && isSpace(source[end - 1])) end--;
      } else if (this.sees('-') && !/\d/.test(source[this.at + 1] ?? '')) {
        throw this.mistake('"{{-" needs a space after it', this.open, this.at + 1);
      }
      this.addText(start, end);
      if (this.sees('/*')) this.comment();
      else this.action();
    }
  }

  private addText(start: number, end: number): void {
    if (start === end) return;
    this.texts.push({ start, end });
    this.parts.push(this.source.slice(start, end));
  }

  private comment(): void {
    const start = this.at;
    const end = this.source.indexOf('*/', start + 2);
    if (end === -1) throw this.mistake('this comment is never closed', start, start + 2);
    this.at = end + 2;
    if (isSpace(this.source[this.at]) && this.source[this.at + 1] === '-') this.at++;
    if (!this.closes()) throw this.mistake(COMMENT_FORM, start, start + 2);
  }

  private action(): void {
    this.steps = 0;
    const value = this.pipeline();
    if (!this.closes()) throw this.mistake('")" has no "(" before it');
    for (const name of value.neededEnvNames) this.neededEnvNames.add(name);
    this.parts.push(value.type === 'list' ? (scope) => value.read(scope).join(',') : asText(value));
  }

  /** Moves past `}}`, or past ` -}}` and the space that it trims. */
  private closes(): boolean {
    if (this.sees('}}')) {
      this.at += 2;
      return true;
    }
    if (!this.sees('-}}') || !isSpace(this.source[this.at - 1])) return false;
    this.at += 3;
    this.skipSpace();
    return true;
  }

  /** Each stage becomes the last value of the next, which must be a function. */
  private pipeline(): Value {
    this.skipSpace();
    let value = this.command();
    while (this.sees('|')) {
      this.at++;
      this.skipSpace();
      value = this.call(value);
    }
    return value;
  }

  private command(): Value {
    const word = this.match(this.words.name);
    this.at -= word?.length ?? 0;
    if (word !== undefined && !isBoolean(word)) return this.call();
    const value = this.operand();
    if (this.hasMore()) throw this.mistake('only a function can have values after it');
    return value;
  }

  private call(piped?: Value): Value {
    const start = this.at;
    const name = this.match(this.words.name);
    if (name === undefined) throw this.mistake('a function must follow "|"');
    const end = this.at;
    this.rejectControlWord(name);
    const called = functions.find((each) => each.name === name);
    if (called === undefined) {
      const names = functions.map((each) => each.name).join(', ');
      const near = piped === undefined ? this.meantPath(name) : '';
      throw this.mistake(`unknown function "${name}"${near}; the functions are ${names}`, start, end);
    }
    this.countStep(start);
    const values: Value[] = [];
    while (this.hasMore()) values.push(this.operand());
    if (piped !== undefined) values.push(piped);

    const { length } = called.parameters;
    if (values.length !== length) {
      const takes = `${length} value${length === 1 ? '' : 's'}`;
      throw this.mistake(`${name} takes ${takes}, found ${values.length}`, start, end);
    }
    const checked = values.map((value, index) => this.checked(called, index, value));
    const read = called.compile(...(checked as never[]));
    const neededEnvNames = needed(called, values);
    return { type: called.result, read, neededEnvNames, start, end: this.at } as Value;
  }

  /** Other template languages write a value as `name` or `form.name`: a word alone, before which this one has a dot. */
  private meantPath(word: string): string {
    let path = `.${word}`;
    let last = word;
    while (this.sees('.')) {
      this.at++;
      last = this.match(this.words.fieldName) ?? '';
      path += `.${last}`;
    }
    if (last === '' || !this.endsValue()) return '';
    const isPath = path === '.form.id' || path === '.submitted_at' || path === `.fields.${last}`;
    return ` (did you mean ${isPath ? path : `.fields.${last}`}?)`;
  }

  /** Whether nothing more of a command follows. */
  private endsValue(): boolean {
    this.skipSpace();
    return this.sees('|') || this.sees(')') || this.sees('}}') || this.sees('-}}');
  }

  /** A value as its place in the call takes it. */
  private checked(called: TemplateFunction, index: number, value: Value) {
    const { name, parameters, literal, reads } = called;
    const wrong = (message: string) => this.mistake(`${name} needs ${message}`, value.start, value.end);
    const place = parameters.length > 1 ? ` as its ${ORDINALS[index]} value` : '';
    switch (parameters[index]) {
      case 'literal':
        if (value.type !== 'literal') throw wrong(literal ?? 'text in quotes');
        if (reads !== undefined) this[reads].add(value.text);
        return value.text;
      case 'list':
        if (value.type !== 'list') throw wrong(`a list${place}, found text; write (values "name")`);
        return value.read;
      default:
        if (value.type === 'list') {
          throw wrong(`text${place}, found a list; write (join "," (values "name"))`);
        }
        return asText(value);
    }
  }

  private operand(): Value {
    const start = this.at;
    if (this.sees('(')) return { ...this.parentheses(), start, end: this.at };
    const neededEnvNames: readonly string[] = [];
    if (this.sees('.')) return { type: 'text', read: this.path(), neededEnvNames, start, end: this.at };
    return { type: 'literal', text: this.literal(), neededEnvNames, start, end: this.at };
  }

  private parentheses(): Value {
    const start = this.at++;
    this.countStep(start);
    const value = this.pipeline();
    if (!this.sees(')')) throw this.mistake('"(" is never closed', start);
    this.at++;
    return value;
  }

  private path(): Read<string> {
    const start = this.at;
    let path = '';
    let name = '';
    while (this.sees('.')) {
      this.at++;
      const found = this.match(path === '.fields' ? this.words.fieldName : this.words.name);
      if (found === undefined) throw this.mistake(PATH_FORM, start, this.at);
      name = found;
      path += `.${name}`;
    }
    if (path === '.form.id') return (scope) => scope.formId;
    if (path === '.submitted_at') return (scope) => scope.submittedAt;
    if (path === `.fields.${name}`) {
      this.fieldNames.add(name);
      return (scope) => scope.fields.get(name)?.join(',') ?? '';
    }
    this.unknownPaths.add(path);
    return () => '';
  }

  private literal(): string {
    const literal = readLiteral(this);
    if (literal !== undefined) return literal;
    const start = this.at;
    const word = this.match(this.words.name);
    if (word === undefined) {
      const missing = this.sees('-}}') ? MISSING_VALUE : NO_VALUE.get(this.source[start]);
      throw this.mistake(missing ?? 'unexpected character');
    }
    this.rejectControlWord(word);
    // The word may be a secret that lacks its quotes: only a function's name is repeated.
    const isFunction = functions.some((each) => each.name === word);
    const message = isFunction
      ? `${word} and its values need parentheses here: (${word} ...)`
      : `text needs double quotes, ${YAML_FORM}; a field's value is .fields.name`;
    throw this.mistake(message, start, this.at);
  }

  /** Moves to the next value of a command; false at the command's end. */
  private hasMore(): boolean {
    const end = this.at;
    this.skipSpace();
    const spaced = this.at > end;
    if (this.sees('|') || this.sees(')') || this.sees('}}')) return false;
    if (this.sees('-}}')) {
      if (spaced) return false;
      throw this.mistake('"-}}" needs a space before it', this.at, this.at + 3);
    }
    if (!spaced || this.sees('}')) {
      throw this.mistake('expected a space, "|" or "}}"');
    }
    return true;
  }

  private rejectControlWord(word: string): void {
    if (!CONTROL_WORDS.includes(word)) return;
    const message = `\`${word}\` is not available: templates only insert values`;
    throw this.mistake(message, this.at - word.length, this.at);
  }

  private countStep(start: number): void {
    if (++this.steps <= MAX_STEPS) return;
    throw this.mistake(`one action can have at most ${MAX_STEPS} functions and parentheses`, start);
  }
}

function asText(value: Value & { type: 'literal' | 'text' }): Read<string> {
  return value.type === 'literal' ? () => value.text : value.read;
}
