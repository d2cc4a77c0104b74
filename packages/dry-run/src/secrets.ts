import { mailboxParts, parseMailbox } from '@form-relay/base/address';
import { pathWithoutTokens } from '@form-relay/base/url';
import { withoutControls } from '@form-relay/more-outputs/filled_in';

const mask = '***';

/** Names of headers and payload keys that usually contain secrets. `author` does not. */
const secretName = /auth(?!or(?!i[sz]))|token|secret|passw|pwd|api[-_]?key|cookie|credential/i;
/** Visitors sign, too, so these names stand for secrets only in headers. */
const signatureName = /^sig$|signature/i;

/** Shorter values are hardly secrets, and would match everywhere. */
const leastLength = 4;

/** Redacts values from the environment, and values with the name of a secret. */
export class Secrets {
  readonly #names = new Map<string, string>();

  /** Does not redact mail addresses, because owners need to see a mail's recipients. */
  add(name: string, value: string): void {
    const isAddresses = mailboxParts(value).every((part) => parseMailbox(part) !== undefined);
    if (isAddresses) return;
    const oneLine = value.replaceAll(/\p{Cc}+/gu, ' ').trim();
    const lines = [/[\n\r\v\f\u0085\u2028\u2029]+/, /\p{Cc}+/u].flatMap((breaks) => value.split(breaks));
    // The forms into which templates, headers, mail bodies and messages convert the value.
    const shown = [value, oneLine, ...lines, ...withoutControls(value).split('\n')];
    const forms = [value, ...shown.map((form) => form.trim())].flatMap((form) => [
      form,
      form.toLowerCase(),
      form.toUpperCase(),
    ]);
    const url = /^https?:/.test(oneLine) ? URL.parse(oneLine) : null;
    // Each part of a URL may be secret by itself. Short parts are words such as `services`.
    if (url && url.pathname !== '/') {
      const parts = (url.pathname + url.search).split(/[/?&=]/).filter((part) => part.length > 8);
      forms.push(url.host, ...parts, ...parts.map(decoded));
    }
    for (const form of forms) {
      if (form.length >= leastLength) this.#names.set(form, name);
    }
  }

  /** Replaces the values of variables by `[NAME]`, whether plain, URL-encoded or in JSON. */
  text(text: string): string {
    return hidden(text, this.#longestFirst());
  }

  /** Redacts a value by its name. */
  value(name: string, value: string, isSecret = secretName.test(name)): string {
    const shown = this.text(value);
    if (shown !== value || !isSecret) return shown;
    // The scheme in `Authorization: Bearer …` is not secret, and if nothing follows, it shows that the token is missing.
    const [, scheme = '', rest = ''] = /^((?:Bearer|Basic|Token)\b ?)?(.*)$/s.exec(value) ?? [];
    return rest === '' ? value : scheme + mask;
  }

  header(name: string, value: string): string {
    return this.value(name, value, secretName.test(name) || signatureName.test(name));
  }

  /** The target of a request, as in its first lines. A URL from a variable is redacted completely. */
  address({ href, host, pathname, search }: URL): { readonly host: string; readonly path: string } {
    const name = this.#names.get(href) ?? this.#names.get(href.replace(/\/$/, ''));
    return name === undefined
      ? { host: this.text(host), path: this.path(pathname + search) }
      : { host: `[${name}]`, path: `[${name}]` };
  }

  /** Redacts queries, as in the log, because services put keys into them under any name. */
  path(path: string): string {
    const [before = '', query] = path.split('?', 2);
    return pathWithoutTokens(this.text(before)) + (query === undefined ? '' : `?${mask}`);
  }

  pairs(text: string, separator: '&' | '\n'): string {
    const acrossPairs = this.#longestFirst().filter(([value]) => value.includes(separator));
    return hidden(text, acrossPairs)
      .split(separator)
      .map((pair) => this.#hidePair(pair))
      .join(separator);
  }

  json(text: string): string {
    const shown = this.text(text);
    return shown.replaceAll(
      /("(?:[^"\\]|\\.)*")(\s*:\s*)("(?:[^"\\]|\\.)*")/g,
      (_, name: string, colon: string, value: string) =>
        `${name}${colon}"${this.value(name.slice(1, -1), value.slice(1, -1))}"`,
    );
  }

  html(markup: string): string {
    let shown = this.text(markup);
    for (const [value, name] of this.#longestFirst()) shown = shown.replaceAll(inHtml(value), `[${name}]`);
    return shown;
  }

  /** Longer values first, because a value may start with another one. */
  #longestFirst(): readonly (readonly [value: string, name: string])[] {
    return [...this.#names].toSorted(([a], [b]) => b.length - a.length);
  }

  #hidePair(pair: string): string {
    // Text that looks like a pair may be a sentence with a secret around its first `=`.
    const shown = this.text(pair);
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    return shown !== pair || value === '' ? shown : `${name}=${this.value(name, value)}`;
  }
}

function hidden(text: string, known: readonly (readonly [value: string, name: string])[]): string {
  let shown = text;
  for (const [value, name] of known) {
    const urlencoded = new URLSearchParams({ v: value }).toString().slice(2);
    const inJson = JSON.stringify(value).slice(1, -1);
    for (const form of [value, urlencoded, inJson]) shown = shown.replaceAll(form, `[${name}]`);
  }
  return shown;
}

/** Matches a value in HTML that the relay wrote: any character may be a character reference, and spaces may be line breaks. */
function inHtml(value: string): RegExp {
  const parts = value.match(/\s+|\S/gu) ?? [];
  return new RegExp(parts.map(partInHtml).join(''), 'g');
}

function partInHtml(part: string): string {
  if (/\s/.test(part)) return '(?:\\s|<[^>]*>|&nbsp;|&#160;)+';
  const plain = part.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
  const name = { '&': 'amp', '<': 'lt', '>': 'gt' }[part];
  return `(?:${plain}|&#${part.codePointAt(0)};${name ? `|&${name};` : ''})`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
