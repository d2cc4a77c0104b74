import { err, ok, type Result } from '@form-relay/base/result';
import { type Read, Template } from '../template.ts';
import { ActionReader } from './action.ts';
import { isSpace, Stop, type TemplateMistake } from './cursor.ts';

/**
 * Parses the `{{ ... }}` language and checks everything that rendering relies on: the functions, the number
 * and types of their arguments, and that names for `env` and `values` are literals (SPEC: Templating).
 */
export const parseTemplate = (source: string): Result<Template, readonly TemplateMistake[]> =>
  source.includes('{{') ? new TemplateReader(source).read() : ok(new Template(source, source));

/** Parses a list of templates, such as recipients, separated by commas outside actions and quotes. Skips blank ones. */
export function parseTemplates(source: string): Result<readonly Template[], readonly TemplateMistake[]> {
  const templates: Template[] = [];
  const last = new TemplateReader(source, templates).read();
  if (!last.ok) return last;
  templates.push(last.value);
  return ok(templates.filter(({ content }) => typeof content !== 'string' || content.trim() !== ''));
}

/** The maximum of reported mistakes; more would not help. */
const mostReported = 20;

/** Literal text, or the reader of an action. */
type Part = string | Read<string>;

function concatenation(parts: readonly Part[]): Part {
  const [only = ''] = parts;
  if (parts.length < 2) return only;
  if (parts.every((part) => typeof part === 'string')) return parts.join('');
  return (scope) => {
    let text = '';
    for (const part of parts) text += typeof part === 'string' ? part : part(scope);
    return text;
  };
}

/** Parses literal text, comments, and the braces of actions. */
class TemplateReader extends ActionReader {
  private parts: Part[] = [];
  /** The start of the current template: in a list, after the last comma. */
  private start = 0;
  /** Whether the text so far ends inside quotes, where a comma is not a separator: `"Acme, Inc." <a@b.example>`. */
  private isQuoted = false;
  /** Collects the templates of a list, all but the last, as their commas are reached. */
  private readonly ended: Template[] | undefined;

  constructor(source: string, ended?: Template[]) {
    super(source);
    this.ended = ended;
  }

  read(): Result<Template, readonly TemplateMistake[]> {
    const { source } = this;
    const mistakes: TemplateMistake[] = [];
    for (;;) {
      const start = this.at;
      this.open = source.indexOf('{{', start);
      if (this.open === -1) {
        if (mistakes.length > 0) return err(mistakes);
        this.addText(start, source.length);
        return ok(this.template(source.length));
      }
      this.at = this.open + 2;
      try {
        this.inBraces(start);
      } catch (error) {
        if (!(error instanceof Stop)) throw error;
        const { mistake } = this.goesOnForLines() ? this.neverClosed : error;
        // Report `if` and its `end` as one mistake.
        if (!mistake.isOfBlock || !mistakes.some(({ isOfBlock }) => isOfBlock)) mistakes.push(mistake);
        if (mistakes.length === mostReported || !this.skipAction()) return err(mistakes);
      }
    }
  }

  /** Parses the action or comment at `open`; literal text precedes it from `start`. */
  private inBraces(start: number): void {
    const { source } = this;
    let end = this.open;
    if (this.sees('-') && isSpace(source[this.at + 1])) {
      this.at += 2;
      while (end > start && isSpace(source[end - 1])) end--;
    } else if (this.sees('-') && !/\d/.test(source[this.at + 1] ?? '')) {
      throw this.wrong({ offset: this.open, length: 3 }, '"{{-" needs a space after it');
    }
    this.addText(start, end);
    if (this.sees('/*')) {
      this.comment();
    } else {
      this.parts.push(this.action());
      if (!this.closes()) throw this.wrong(this.here, '")" has no "(" before it');
    }
  }

  /**
   * Whether the action was probably never closed: the mistake is on a later line than `{{`, and the next `{{`
   * comes before any `}}`.
   */
  private goesOnForLines(): boolean {
    return this.source.slice(this.open, this.at).includes('\n') && !this.closesFirst(this.open + 2);
  }

  /** Skips the rest of an action after a mistake. Returns false if its end is uncertain. */
  private skipAction(): boolean {
    if (!this.closesFirst(this.at)) return false;
    this.at = this.source.indexOf('}}', this.at) + 2;
    return true;
  }

  /** Whether the next `}}` comes before the next `{{`. */
  private closesFirst(from: number): boolean {
    const end = this.source.indexOf('}}', from);
    const next = this.source.indexOf('{{', from);
    return end !== -1 && (next === -1 || end < next);
  }

  private addText(start: number, end: number): void {
    let from = start;
    for (const at of this.ended ? this.commas(start, end) : []) {
      this.parts.push(this.source.slice(from, at));
      this.ended?.push(this.template(at));
      from = at + 1;
    }
    if (from < end) this.parts.push(this.source.slice(from, end));
  }

  /** The positions of commas outside quotes. */
  private commas(start: number, end: number): readonly number[] {
    const found: number[] = [];
    for (let at = start; at < end; at += 1) {
      const character = this.source[at];
      if (character === '"') this.isQuoted = !this.isQuoted;
      else if (character === '\\' && this.isQuoted) at += 1;
      else if (character === ',' && !this.isQuoted) found.push(at);
    }
    return found;
  }

  private template(end: number): Template {
    const { parts, mentions } = this;
    const source = this.source.slice(this.start, end);
    this.parts = [];
    this.mentions = {};
    this.start = end + 1;
    return new Template(this.ended ? source.trim() : source, concatenation(parts), mentions);
  }

  private comment(): void {
    const place = { offset: this.at, length: 2 };
    const end = this.source.indexOf('*/', this.at + 2);
    if (end === -1) throw this.wrong(place, 'this comment is never closed');
    this.at = end + 2;
    if (isSpace(this.source[this.at]) && this.source[this.at + 1] === '-') this.at++;
    if (!this.closes())
      throw this.wrong(
        place,
        'a comment must touch its braces: {{/* like this */}} or {{- /* like this */ -}}',
        {
          isOfBlock: true,
        },
      );
  }

  /** Skips `}}`, or ` -}}` and the white space that it trims. */
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
}
