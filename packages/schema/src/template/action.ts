/** Parses the inside of `{{ … }}`: functions, paths and literals. */
import type { Place } from '../diagnostics.ts';
import { isCalled, meantBy } from '../suggestion.ts';
import type { Mentioned, Read } from '../template.ts';
import { Cursor, isBoolean, isSpace, readLiteral } from './cursor.ts';
import { functions, isBeforeName, pathCalled, pathReader, type TemplateFunction } from './names.ts';

/** A value in an action: a literal, or a reader that gets it from a submission. */
type Value = Place & { readonly neededEnvNames: readonly string[] } & (
    | { readonly type: 'literal'; readonly text: string; readonly read: Read<string> }
    | { readonly type: 'text'; readonly read: Read<string> }
    | { readonly type: 'list'; readonly read: Read<readonly string[]> }
  );

/** The maximum of functions and parentheses in an action, which bounds the stack for parsing and rendering. */
const mostSteps = 100;

export class ActionReader extends Cursor {
  protected mentions: Partial<Record<Mentioned, Set<string>>> = {};
  private steps = 0;

  /** Parses an action up to its closing braces. */
  protected action(): Read<string> {
    this.steps = 0;
    const value = this.pipeline();
    for (const name of value.neededEnvNames) this.mention('neededEnvNames', name);
    return value.type === 'list' ? (scope) => value.read(scope).join(',') : value.read;
  }

  /** Parses a pipeline: each stage must be a function, and gets the previous value as its last argument. */
  private pipeline(): Value {
    this.skipSpace();
    const word = this.peek(this.words.name);
    let value = word === undefined || isBoolean(word) ? this.operand() : this.call();
    if (this.hasMore()) throw this.wrong(this.here, 'only a function can have values after it');
    while (this.sees('|')) {
      this.at++;
      this.skipSpace();
      value = this.call(value);
    }
    return value;
  }

  private call(piped?: Value): Value {
    const start = this.at;
    const name = this.match(this.words.name);
    if (name === undefined)
      throw this.wrong(
        this.here,
        this.sees('|')
          ? 'write a default for empty values, as in {{ default "nobody" .fields.name }}'
          : 'a function must follow "|"',
      );
    const place = this.since(start);
    this.rejectControlWord(name);
    const called = functions.find((each) => each.name === name);
    if (called === undefined) {
      const known = `; the functions are ${functions.map((each) => each.name).join(', ')}`;
      const near = (piped === undefined ? this.meantPath(name) : undefined) ?? meantBy(name, functions);
      throw this.wrong(place, `unknown function "${name}"${near === undefined ? known : ''}`, {
        word: name,
        suggestion: near,
        unquoted: `unknown function${known}`,
      });
    }
    this.countStep(start);
    const values: Value[] = [];
    while (this.hasMore()) values.push(this.operand());
    if (piped !== undefined) values.push(piped);
    const { length: takes } = called.parameters;
    if (values.length !== takes)
      throw this.wrong(
        place,
        `${name} takes ${takes} value${takes === 1 ? '' : 's'}, found ${values.length}`,
      );
    const given = values.map((value, index) => this.checked(called, index, value));
    const read = called.compile(...(given as never[]));
    return {
      type: called.result,
      read,
      neededEnvNames: needed(called, values),
      ...this.since(start),
    } as Value;
  }

  /** The path probably meant by `name` or `form.name` of other template languages; here, a path needs a leading dot. */
  private meantPath(word: string): string | undefined {
    const called = pathCalled(word);
    if (called !== undefined) return called;
    const names = [word];
    while (this.sees('.')) {
      this.at++;
      names.push(this.match(this.words.fieldName) ?? '');
    }
    const last = names.at(-1) ?? '';
    if (last === '') return undefined;
    this.skipSpace();
    if (!this.sees('|', ')', '}}', '-}}')) return undefined;
    // As in `process.env.TOKEN` or `secrets.TOKEN`.
    if (names.slice(0, -1).some(isCalledEnv)) return `env "${last}"`;
    const path = `.${names.join('.')}`;
    return pathReader(path) ? path : `.fields.${last}`;
  }

  /** Converts a value to an argument, and checks its type against the parameter. */
  private checked({ name, parameters, literal, reads }: TemplateFunction, index: number, value: Value) {
    const expected = parameters[index];
    if (expected === 'literal') {
      if (value.type !== 'literal') throw this.wrong(value, `${name} needs ${literal}`);
      if (reads !== undefined) this.mention(reads, value.text);
      return value.text;
    }
    if ((expected === 'list') === (value.type === 'list')) return value.read;
    const place = parameters.length > 1 ? ` as its ${['first', 'second'][index]} value` : '';
    const instead =
      expected === 'list'
        ? `a list${place}, found text; write (values "name")`
        : `text${place}, found a list; write (join "," (values "name"))`;
    throw this.wrong(value, `${name} needs ${instead}`);
  }

  private operand(): Value {
    const start = this.at;
    if (this.sees('(')) return { ...this.parentheses(), ...this.since(start) };
    const neededEnvNames: readonly string[] = [];
    if (this.sees('.')) return { type: 'text', read: this.path(), neededEnvNames, ...this.since(start) };
    const text = this.literal();
    return { type: 'literal', text, read: () => text, neededEnvNames, ...this.since(start) };
  }

  private parentheses(): Value {
    const { here } = this;
    this.at++;
    this.countStep(here.offset);
    const value = this.pipeline();
    if (!this.sees(')')) throw this.wrong(here, '"(" is never closed');
    this.at++;
    return value;
  }

  private path(): Read<string> {
    const start = this.at;
    let path = '';
    while (this.sees('.')) {
      this.at++;
      const found = this.match(isBeforeName(path) ? this.words.fieldName : this.words.name);
      if (found === undefined)
        throw this.wrong(
          this.since(start),
          'after ".", expected a name that starts with a letter; for other names, use (join "," (values "name"))',
        );
      path += `.${found}`;
    }
    const known = pathReader(path);
    if (!known) this.mention('unknownPaths', path);
    else if (known.mentions) this.mention(known.mentions, known.name);
    return known?.read ?? (() => '');
  }

  private literal(): string {
    const literal = readLiteral(this);
    if (literal !== undefined) return literal;
    const start = this.at;
    const word = this.match(this.words.name);
    if (word === undefined) {
      const character = this.source[start] ?? '';
      const message = this.sees('-}}') ? 'missing value' : noValue.get(character);
      throw this.wrong(this.here, message ?? 'unexpected character', {
        isOfBlock: '/#^%'.includes(character),
      });
    }
    this.rejectControlWord(word);
    // Quotes only the names of known functions, because any other word may be a secret without quotes.
    throw this.wrong(
      this.since(start),
      functions.some((each) => each.name === word)
        ? `${word} and its values need parentheses here: (${word} ...)`
        : "text needs double quotes, and in YAML single quotes around the whole text: '{{ env \"NAME\" }}'; a field's value is .fields.name",
    );
  }

  /** Moves to the next value of a call; returns false at its end. */
  private hasMore(): boolean {
    this.skipSpace();
    const isSpaced = isSpace(this.source[this.at - 1]);
    if (this.sees('|', ')', '}}') || (isSpaced && this.sees('-}}'))) return false;
    if (isSpaced && !this.sees('}')) return true;
    if (!isSpaced && this.sees('-}}'))
      throw this.wrong({ offset: this.at, length: 3 }, '"-}}" needs a space before it');
    throw this.wrong(this.here, 'expected a space, "|" or "}}"');
  }

  private rejectControlWord(word: string): void {
    if (controlWords.includes(word))
      throw this.wrong(
        this.since(this.at - word.length),
        `\`${word}\` is not available: templates only insert values`,
        { isOfBlock: true },
      );
  }

  private mention(what: Mentioned, name: string): void {
    const names = this.mentions[what] ?? new Set();
    this.mentions[what] = names.add(name);
  }

  private countStep(start: number): void {
    if (++this.steps > mostSteps)
      throw this.wrong(
        { offset: start, length: 1 },
        `an action can have at most ${mostSteps} functions and parentheses`,
      );
  }
}

const envFunction = functions.find(({ name }) => name === 'env');
const isCalledEnv = (word: string) =>
  word === 'env' || (envFunction !== undefined && isCalled(envFunction, word));

const controlWords = 'if else range with define block template break continue end'.split(' ');

const straightQuotes =
  'text needs straight double quotes, and in YAML single quotes around the whole text: \'{{ env "NAME" }}\'';
const noBlocks = 'blocks are not available: templates only insert values';

/** Explains characters that cannot start a value. */
const noValue: ReadonlyMap<string | undefined, string> = new Map([
  ...[...'|)}'].map((one) => [one, 'missing value'] as const),
  ['/', 'a comment must touch its braces: {{/* like this */}} or {{- /* like this */ -}}'],
  ...[..."'‘’‚‛“”„‟"].map((one) => [one, straightQuotes] as const),
  ['{', 'write two braces at the start and two at the end'],
  ...[...'#^%'].map((one) => [one, noBlocks] as const),
  ['$', 'variables are not available: templates only insert values'],
]);

/** The environment variables without which a call has no result: none if there is a default. */
const needed = ({ reads }: TemplateFunction, values: readonly Value[]): readonly string[] =>
  reads === 'defaults'
    ? []
    : values.flatMap((value) =>
        value.type === 'literal' && reads === 'envNames' ? value.text : value.neededEnvNames,
      );
