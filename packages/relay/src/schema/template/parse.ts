import type { Finding, FindingCode } from '../../base/config_finding.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { ActionReader } from './action.ts';
import { isSpace, Mistake } from './cursor.ts';
import { type Read, Template } from './render.ts';

/**
 * Reads the `{{ ... }}` language and checks all that rendering relies on: the functions, the number and
 * types of their values, and that the names for `env` and `values` are literal (SPEC: Templating, D12).
 */
export const parseTemplate = (source: string): Result<Template, readonly Finding[]> =>
  resultOf(() => (source.includes('{{') ? new TemplateReader(source).read() : new Template(source, source)));

/** The templates between the commas of the text outside actions and quotes (D13: recipients). Blank ones are left out. */
export const parseTemplates = (source: string): Result<readonly Template[], readonly Finding[]> =>
  resultOf(() => {
    const templates: Template[] = [];
    templates.push(new TemplateReader(source, templates).read());
    return templates.filter(({ content }) => typeof content !== 'string' || content.trim() !== '');
  });

function resultOf<T>(read: () => T): Result<T, readonly Finding[]> {
  try {
    return ok(read());
  } catch (error) {
    if (error instanceof Mistakes) return err(error.findings);
    throw error;
  }
}

/** Who reads these has understood. */
const mostTold = 20;

/** The mistakes of a template. */
class Mistakes extends Error {
  readonly findings: readonly Finding[];

  constructor(findings: readonly Finding[]) {
    super('mistakes in a template');
    this.findings = findings;
  }
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
  private parts: Part[] = [];
  /** Where the template that is being read begins: after the last comma of a list. */
  private start = 0;
  /** Whether the text so far ends within quotes, where a comma separates nothing: `"Acme, Inc." <a@b.example>`. */
  private isQuoted = false;
  /** Gets each template of a list but the last, as it ends at its comma. */
  private readonly ended: Template[] | undefined;

  constructor(source: string, ended?: Template[]) {
    super(source);
    this.ended = ended;
  }

  read(): Template {
    const { source } = this;
    const findings: Finding[] = [];
    for (;;) {
      const start = this.at;
      this.open = source.indexOf('{{', start);
      if (this.open === -1) {
        if (findings.length > 0) throw new Mistakes(findings);
        this.addText(start, source.length);
        return this.template(source.length);
      }
      this.at = this.open + 2;
      try {
        this.inBraces(start);
      } catch (error) {
        if (!(error instanceof Mistake)) throw error;
        const { finding } = this.goesOnForLines() ? this.neverClosed : error;
        // `if` and its `end` are one mistake.
        if (!findings.some(({ code }) => isOfBlocks(code) && isOfBlocks(finding.code)))
          findings.push(finding);
        if (findings.length === mostTold || !this.skipAction()) throw new Mistakes(findings);
      }
    }
  }

  /** Reads what begins with the braces at `open`, after the text that begins at `start`. */
  private inBraces(start: number): void {
    const { source } = this;
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

  /** After a mistake on a later line than its braces, with none that close them before others open. */
  private goesOnForLines(): boolean {
    const { source, open, at } = this;
    const end = source.indexOf('}}', open);
    const next = source.indexOf('{{', open + 2);
    return source.slice(open, at).includes('\n') && (end === -1 || (next !== -1 && next < end));
  }

  /** After a mistake: moves past the end of its action. False where that is not to be told. */
  private skipAction(): boolean {
    const end = this.source.indexOf('}}', this.at);
    const next = this.source.indexOf('{{', this.at);
    if (end === -1 || (next !== -1 && next < end)) return false;
    this.at = end + 2;
    return true;
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

  /** Where commas stand outside quotes. */
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

const isOfBlocks = (code: FindingCode) =>
  code === 'template_with_control' || code === 'template_with_block' || code === 'template_comment_apart';
