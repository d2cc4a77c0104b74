import { mailboxParts, parseMailbox } from '@form-relay/base/address';
import { pathWithoutTokens } from '@form-relay/base/url';
import { withoutControls } from '@form-relay/more-outputs/filled_in';

const mask = '***';

/** Names of headers and payload keys that usually hold secrets. `author` does not. */
const secretName = /auth(?!or(?!i[sz]))|token|secret|passw|pwd|api[-_]?key|cookie|credential/i;
/** Visitors sign, too: only of headers, these are names of secrets. */
const signatureName = /^sig$|signature/i;

/** Shorter values are no secrets, and would match everywhere. */
const leastLength = 4;

/** Hides values from the environment, and values under a secret's name. */
export class Secrets {
  readonly #names = new Map<string, string>();

  /** Keeps addresses visible: owners need to see a mail's recipients. */
  add(name: string, value: string): void {
    const isAddresses = mailboxParts(value).every((part) => parseMailbox(part) !== undefined);
    if (isAddresses) return;
    const oneLine = value.replaceAll(/\p{Cc}+/gu, ' ').trim();
    const lines = [/[\n\r\v\f\u0085\u2028\u2029]+/, /\p{Cc}+/u].flatMap((breaks) => value.split(breaks));
    // As templates, headers, mail bodies and messages transform the value.
    const shown = [value, oneLine, ...lines, ...withoutControls(value).split('\n')];
    const forms = [value, ...shown.map((form) => form.trim())].flatMap((form) => [
      form,
      form.toLowerCase(),
      form.toUpperCase(),
    ]);
    const url = /^https?:/.test(oneLine) ? URL.parse(oneLine) : null;
    // An address is a secret in its parts, too. Shorter ones are words such as `services`.
    if (url && url.pathname !== '/') {
      const parts = (url.pathname + url.search).split(/[/?&=]/).filter((part) => part.length > 8);
      forms.push(url.host, ...parts, ...parts.map(decoded));
    }
    for (const form of forms) {
      if (form.length >= leastLength) this.#names.set(form, name);
    }
  }

  /** Replaces the values of variables by `[NAME]`, whether plain, urlencoded or in JSON. */
  text(text: string): string {
    return hidden(text, this.#longestFirst());
  }

  /** Masks a value by its name. */
  value(name: string, value: string, isSecret = secretName.test(name)): string {
    const shown = this.text(value);
    if (shown !== value || !isSecret) return shown;
    // The scheme of `Authorization: Bearer …` is not secret, and without a token it shows that the token is missing.
    const [, scheme = '', rest = ''] = /^((?:Bearer|Basic|Token)\b ?)?(.*)$/s.exec(value) ?? [];
    return rest === '' ? value : scheme + mask;
  }

  header(name: string, value: string): string {
    return this.value(name, value, secretName.test(name) || signatureName.test(name));
  }

  /** Where a request goes, as its first lines say it. An address in a variable is a secret as a whole. */
  address({ href, host, pathname, search }: URL): { readonly host: string; readonly path: string } {
    const name = this.#names.get(href) ?? this.#names.get(href.replace(/\/$/, ''));
    return name === undefined
      ? { host: this.text(host), path: this.path(pathname + search) }
      : { host: `[${name}]`, path: `[${name}]` };
  }

  /** Hides queries, as in the log, because services put keys into them under any name. */
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

  /** A value may start with another one. */
  #longestFirst(): readonly (readonly [value: string, name: string])[] {
    return [...this.#names].toSorted(([a], [b]) => b.length - a.length);
  }

  #hidePair(pair: string): string {
    // An apparent pair may be a sentence with a secret around its first `=`.
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

/** Matches a value in HTML that the relay wrote: any character as a reference, and spaces as line breaks. */
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
