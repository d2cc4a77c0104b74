/** Parses the inside of braces: functions, references and literals. */

import { thingsCalled } from '../aliases.ts';
import type { Place, PlainCode } from '../finding.ts';
import { meantBy } from '../suggestion.ts';
import { Cursor } from './cursor.ts';
import { functions, type TemplateFunction } from './functions.ts';
import { isBoolean, readLiteral } from './literal.ts';
import type { Mentions, Read } from './render.ts';

/** A value in an action: a literal, or a reader of submissions. */
type Value = Place & { readonly neededEnvNames: readonly string[] } & (
    | { readonly type: 'literal'; readonly text: string }
    | { readonly type: 'text'; readonly read: Read<string> }
    | { readonly type: 'list'; readonly read: Read<readonly string[]> }
  );

/** The most functions and parentheses in an action. Bounds the stack when parsing and rendering. */
const mostSteps = 100;

export class ActionReader extends Cursor {
  protected mentions: Partial<Record<keyof Mentions, Set<string>>> = {};
  private steps = 0;

  /** Parses an action up to its closing braces. */
  protected action(): Read<string> {
    this.steps = 0;
    const value = this.pipeline();
    for (const name of value.neededEnvNames) this.mention('neededEnvNames', name);
    return value.type === 'list' ? (scope) => value.read(scope).join(',') : asText(value);
  }

  /** Each stage becomes the last argument of the next, which must be a function. */
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
    if (this.hasMore()) throw this.mistake(this.here, 'template_value_after_value');
    return value;
  }

  private call(piped?: Value): Value {
    const start = this.at;
    const name = this.match(this.words.name);
    if (name === undefined)
      throw this.mistake(this.here, this.sees('|') ? 'template_with_or' : 'template_function_missing');
    const place = this.since(start);
    this.rejectControlWord(name);
    const called = functions.find((each) => each.name === name);
    if (called === undefined) {
      const known = functions.map((each) => each.name);
      const near = (piped === undefined ? this.meantPath(name) : undefined) ?? meantBy(name, known);
      throw this.mistake(place, 'template_function_unknown', { found: name, near, known });
    }
    this.countStep(start);
    const values: Value[] = [];
    while (this.hasMore(values.length === 0 ? name : undefined)) values.push(this.operand());
    if (piped !== undefined) values.push(piped);

    const { length: takes } = called.parameters;
    if (values.length !== takes)
      throw this.mistake(place, 'template_values_miscounted', { name, takes, given: values.length });
    const checked = values.map((value, index) => this.checked(called, index, value));
    const read = called.compile(...(checked as never[]));
    const neededEnvNames = needed(called, values);
    return { type: called.result, read, neededEnvNames, ...this.since(start) } as Value;
  }

  /** Other template languages write `name` or `form.name`; this one needs a leading dot. */
  private meantPath(word: string): string | undefined {
    const [thing] = thingsCalled(word).filter((one) => one.startsWith('.'));
    if (thing !== undefined) return thing;
    let path = `.${word}`;
    let last = word;
    let isOfEnvironment = false;
    while (this.sees('.')) {
      this.at++;
      const beforeLast = last;
      last = this.match(this.words.fieldName) ?? '';
      path += `.${last}`;
      isOfEnvironment ||= isCalledEnv(beforeLast);
    }
    if (last === '' || !this.endsValue()) return undefined;
    // `process.env.TOKEN`, `secrets.TOKEN`
    if (isOfEnvironment) return `env "${last}"`;
    const isPath = path === '.form.id' || path === '.submitted_at' || path === `.labels.${last}`;
    return isPath || pageReader(path, last) ? path : `.fields.${last}`;
  }

  /** Whether the command ends here. */
  private endsValue(): boolean {
    this.skipSpace();
    return this.sees('|') || this.sees(')') || this.sees('}}') || this.sees('-}}');
  }

  /** Converts a value to the parameter's type. */
  private checked(called: TemplateFunction, index: number, value: Value) {
    const { name, parameters, literal, reads } = called;
    const place = parameters.length > 1 ? index : undefined;
    switch (parameters[index]) {
      case 'literal':
        if (value.type !== 'literal') {
          const expected = literal ?? 'text in quotes';
          throw this.mistake(value, 'template_literal_missing', { name, expected });
        }
        if (reads !== undefined) this.mention(reads, value.text);
        return value.text;
      case 'list':
        if (value.type !== 'list') throw this.mistake(value, 'template_list_missing', { name, place });
        return value.read;
      default:
        if (value.type === 'list') throw this.mistake(value, 'template_text_missing', { name, place });
        return asText(value);
    }
  }

  private operand(): Value {
    const start = this.at;
    if (this.sees('(')) return { ...this.parentheses(), ...this.since(start) };
    const neededEnvNames: readonly string[] = [];
    if (this.sees('.')) return { type: 'text', read: this.path(), neededEnvNames, ...this.since(start) };
    return { type: 'literal', text: this.literal(), neededEnvNames, ...this.since(start) };
  }

  private parentheses(): Value {
    const { here } = this;
    this.at++;
    this.countStep(here.offset);
    const value = this.pipeline();
    if (!this.sees(')')) throw this.mistake(here, 'template_parenthesis_never_closed');
    this.at++;
    return value;
  }

  private path(): Read<string> {
    const start = this.at;
    let path = '';
    while (this.sees('.')) {
      this.at++;
      const isNamedByOthers = /^\.(?:fields|labels|page\.query)(?:\.|$)/.test(path);
      const found = this.match(isNamedByOthers ? this.words.fieldName : this.words.name);
      if (found === undefined) throw this.mistake(this.since(start), 'template_path_malformed');
      path += `.${found}`;
    }
    // The name of a field may have dots, too.
    const [, name = ''] = /^\.(?:fields|labels|page\.query)\.(.+)$/s.exec(path) ?? [];
    if (path === '.form.id') return (scope) => scope.formId;
    if (path === '.submitted_at') return (scope) => scope.submittedAt;
    if (path === `.fields.${name}`) {
      this.mention('fieldNames', name);
      return (scope) => scope.fields.get(name)?.join(',') ?? '';
    }
    if (path === `.labels.${name}`) {
      this.mention('fieldNames', name);
      return (scope) => scope.labels?.(name) ?? scope.fields.get(name)?.join(', ') ?? '';
    }
    const page = pageReader(path, name);
    if (page) {
      this.mention('pagePaths', path);
      return page;
    }
    this.mention('unknownPaths', path);
    return () => '';
  }

  private literal(): string {
    const literal = readLiteral(this);
    if (literal !== undefined) return literal;
    const start = this.at;
    const word = this.match(this.words.name);
    if (word === undefined) {
      const code = this.sees('-}}') ? 'template_value_missing' : noValue.get(this.source[start]);
      throw this.mistake(this.here, code ?? 'template_character_unexpected');
    }
    this.rejectControlWord(word);
    const place = this.since(start);
    // Quotes only known functions: the word may be a secret without quotes.
    throw functions.some((each) => each.name === word)
      ? this.mistake(place, 'template_function_without_parentheses', { name: word })
      : this.mistake(place, 'template_text_without_quotes');
  }

  /**
   * Moves to the next value of a command; false at its end. `called` is the function whose first argument it would be.
   */
  private hasMore(called?: string): boolean {
    const end = this.at;
    this.skipSpace();
    const spaced = this.at > end;
    if (this.sees('|') || this.sees(')') || this.sees('}}')) return false;
    if (this.sees('-}}')) {
      if (spaced) return false;
      throw this.mistake({ offset: this.at, length: 3 }, 'template_trim_without_space_before');
    }
    if (!spaced && called !== undefined && this.sees('('))
      throw this.mistake(this.here, 'template_parenthesis_after_function', { name: called });
    if (!spaced && called !== undefined && this.sees(':'))
      throw this.mistake(this.here, 'template_colon_after_function', { name: called });
    if (!spaced && called !== undefined && this.sees('.'))
      throw this.mistake(this.here, 'template_dot_after_function', {
        name: called,
        near: called === 'env' ? this.meantVariable() : undefined,
      });
    if (!spaced && this.sees('(') && /\.\w+$/.test(this.source.slice(this.open, this.at)))
      throw this.mistake(this.here, 'template_with_method');
    if (!spaced || this.sees('}')) throw this.mistake(this.here, 'template_space_missing');
    return true;
  }

  /** For `env.TOKEN`, starting at its dot. */
  private meantVariable(): string {
    const start = this.at++;
    const name = this.match(this.words.name) ?? 'NAME';
    this.at = start;
    return `env "${name}"`;
  }

  private rejectControlWord(word: string): void {
    if (controlWords.includes(word))
      throw this.mistake(this.since(this.at - word.length), 'template_with_control', { word });
  }

  private mention(what: keyof Mentions, name: string): void {
    const names = this.mentions[what] ?? new Set();
    this.mentions[what] = names.add(name);
  }

  private countStep(start: number): void {
    if (++this.steps > mostSteps)
      throw this.mistake({ offset: start, length: 1 }, 'template_too_long', { most: mostSteps });
  }
}

/** A property of the page; `undefined` for other paths. */
function pageReader(path: string, name: string): Read<string> | undefined {
  if (path === '.page.url') return ({ page }) => page?.url ?? '';
  if (path === '.page.title') return ({ page }) => page?.title ?? '';
  return path === `.page.query.${name}` ? ({ page }) => page?.query.get(name)?.join(',') ?? '' : undefined;
}

const isCalledEnv = (word: string) => word === 'env' || thingsCalled(word).includes('env');

const controlWords = 'if else range with define block template break continue end'.split(' ');

/** The finding for a character that starts no value. */
const noValue: ReadonlyMap<string | undefined, PlainCode> = new Map([
  ['|', 'template_value_missing'],
  [')', 'template_value_missing'],
  ['}', 'template_value_missing'],
  ['/', 'template_comment_apart'],
  ["'", 'template_quote_not_straight'],
  ...[...'‘’‚‛“”„‟'].map((quote): [string, PlainCode] => [quote, 'template_quote_not_straight']),
  ['{', 'template_third_brace'],
  ['#', 'template_with_block'],
  ['^', 'template_with_block'],
  ['%', 'template_with_block'],
  ['$', 'template_with_variable'],
]);

/** The variables that the result of a call needs: none if there is a default. */
const needed = ({ reads }: TemplateFunction, values: readonly Value[]): readonly string[] =>
  reads === 'defaults'
    ? []
    : values.flatMap((value) =>
        value.type === 'literal' && reads === 'envNames' ? value.text : value.neededEnvNames,
      );

const asText = (value: Value & { type: 'literal' | 'text' }): Read<string> =>
  value.type === 'literal' ? () => value.text : value.read;
