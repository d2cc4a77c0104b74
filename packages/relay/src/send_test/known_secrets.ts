import type { Effects, HttpAnswer } from '../base/effects.ts';
import type { Payload } from '../base/job.ts';
import { Secrets } from '../dry_run/secrets.ts';

/** Shorter parts of an address are words such as `services`. */
const leastPart = 9;

/** Learns every secret that a test sends, so that no answer that repeats one shows it. */
export class KnownSecrets {
  readonly mask = new Secrets();

  /** Values of variables, and the parts of one that is an address. */
  env(read: Effects['env']): Effects['env'] {
    return (name) => {
      const value = read(name);
      if (value !== undefined) this.#add(name, value);
      return value;
    };
  }

  /** Credentials in headers, access tokens among them. `heard`: the answer to each request of a delivery, by its id. */
  http(http: Effects['http'], heard: Map<string, HttpAnswer>): Effects['http'] {
    return async (request) => {
      for (const [name, value] of Object.entries(request.headers))
        this.#addNamed(name, value, this.mask.header(name, value));
      const answer = await http(request);
      const id = request.headers['idempotency-key'];
      if (id !== undefined) heard.set(id, answer);
      return answer;
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
