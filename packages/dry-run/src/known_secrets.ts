import type { HttpClient, Services } from '@form-relay/core/services';
import type { Payload } from '@form-relay/core/submission';
import { Secrets } from './secrets.ts';

/** Shorter parts of an address are words such as `services`. */
const leastPart = 9;

/** Learns every secret that a test sends, so that no answer that repeats one shows it. */
export class KnownSecrets {
  readonly mask = new Secrets();

  /** Values of variables, and the parts of one that is an address. */
  env(read: Services['env']): Services['env'] {
    return (name) => {
      const value = read(name);
      if (value !== undefined) this.#add(name, value);
      return value;
    };
  }

  /** Credentials in headers, access tokens among them. */
  http(http: HttpClient): HttpClient {
    return (request) => {
      for (const [name, value] of Object.entries(request.headers))
        this.#addNamed(name, value, this.mask.header(name, value));
      return http(request);
    };
  }

  payload(payload: Payload): void {
    for (const [key, values] of payload)
      for (const value of values) this.#addNamed(key, value, this.mask.value(key, value));
  }

  #add(name: string, value: string): void {
    this.mask.add(name, value);
    if (!/^https?:\/\/./.test(value.trim())) return;
    for (const part of value
      .trim()
      .split(/[/?&=]/)
      .slice(3)) {
      if (part.length >= leastPart) this.mask.add(name, decoded(part));
    }
  }

  #addNamed(name: string, value: string, masked: string): void {
    // A value that holds a variable's is known by that name already.
    if (this.mask.text(value) !== value || masked === value) return;
    this.mask.add(name, value);
    const [, credential] = /^(?:Bearer|Basic|Token) (.+)$/i.exec(value) ?? [];
    if (credential !== undefined) this.mask.add(name, credential);
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
