import type { Finding } from '../config_finding.ts';
import type { Place } from '../place.ts';
import { err, ok, type Result } from '../result.ts';
import { ActionReader } from './action.ts';
import { isSpace, Mistake } from './cursor.ts';
import { type Read, Template } from './render.ts';

/**
 * Reads the `{{ ... }}` language and checks all that rendering relies on: the functions, the number and
 * types of their values, and that the names for `env` and `values` are literal (SPEC: Templating, D12).
 */
export function parseTemplate(source: string): Result<Template, Finding> {
  try {
    return ok(compile(source));
  } catch (error) {
    if (error instanceof Mistake) return err(error.finding);
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
    if (typeof piece.content !== 'string' || piece.content.trim() !== '') pieces.push(piece);
    start = end + 1;
  };
  for (const { offset, length } of new TemplateReader(source).read().texts) {
    for (let at = offset; at < offset + length; at++) if (source[at] === ',') cut(at);
  }
  cut(source.length);
  return pieces;
}

function compile(source: string): Template {
  if (!source.includes('{{')) return new Template(source, source);
  const { parts, mentions } = new TemplateReader(source).read();
  return new Template(source, concatenation(parts), mentions);
}

/** Literal text, or an action. */
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

/** Reads literal text, comments, and the braces of actions. */
class TemplateReader extends ActionReader {
  readonly parts: Part[] = [];
  /** Where the literal text stands in the source. */
  readonly texts: Place[] = [];

  read(): this {
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
        throw this.mistake({ offset: this.open, length: 3 }, 'template_trim_without_space_after');
      }
      this.addText(start, end);
      if (this.sees('/*')) {
        this.comment();
      } else {
        this.parts.push(this.action());
        if (!this.closes()) throw this.mistake(this.here, 'template_parenthesis_never_opened');
      }
    }
  }

  private addText(start: number, end: number): void {
    if (start === end) return;
    this.texts.push({ offset: start, length: end - start });
    this.parts.push(this.source.slice(start, end));
  }

  private comment(): void {
    const place = { offset: this.at, length: 2 };
    const end = this.source.indexOf('*/', this.at + 2);
    if (end === -1) throw this.mistake(place, 'template_comment_never_closed');
    this.at = end + 2;
    if (isSpace(this.source[this.at]) && this.source[this.at + 1] === '-') this.at++;
    if (!this.closes()) throw this.mistake(place, 'template_comment_apart');
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
}
