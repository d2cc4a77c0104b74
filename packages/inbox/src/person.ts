import type { Right } from './api.ts';

/** The person who asks: the owner with the key in the address, or one who signed in. */
export interface Person {
  /** For the page and the audit log. */
  readonly name: string;
  /** The forms of which the person may `read`; `undefined`: all. */
  readonly forms: ReadonlySet<string> | undefined;
  may(right: Right, form: string): boolean;
  /** Whether the session and its rights still hold, which streams ask before each event. Default: asks for the person again. */
  isStill?(): boolean;
}
