import type { Form } from '@form-relay/core/form';
import type { Place } from '@form-relay/schema/diagnostics';
import type { Control } from './form_controls.ts';
import type { Page, PageElement } from './markup.ts';

/** Something that does not fit. An error loses submissions or parts of them; a warning may. */
export interface PageFinding {
  readonly severity: 'error' | 'warning';
  readonly place: Place;
  /** Names what does not fit, whatever the words. */
  readonly code: string;
  /** The finding, its consequence, and the correction. */
  readonly message: string;
}

export const error = (place: Place, code: string, message: string): PageFinding => ({
  severity: 'error',
  place,
  code,
  message,
});

export const warning = (place: Place, code: string, message: string): PageFinding => ({
  ...error(place, code, message),
  severity: 'warning',
});

/** The form of the config, and the facts known about the page. */
export interface Subject {
  readonly config: Form;
  /** The names of all forms of the config. */
  readonly formIds: readonly string[];
  readonly page: Page;
  /** The relay's address; `undefined` if any is right. */
  readonly baseUrl: URL | undefined;
  /** The page's character encoding, by its name in the Encoding Standard. */
  readonly encoding: string;
}

/** A form of the page that is sent to this form of the config. */
export interface PageForm extends Subject {
  readonly form: PageElement;
  readonly controls: readonly Control[];
  /** The controls that browsers send, by name. */
  readonly sent: ReadonlyMap<string, readonly Control[]>;
  /** The names that htmx adds. */
  readonly added: readonly string[];
  /** htmx or the relay's own script sends it. The browser itself does so only where no script runs. */
  readonly isSentByScript: boolean;
}

/** Compares one thing. */
export type PageCheck = (form: PageForm) => readonly PageFinding[];

/** For messages. Others wrote it, so it may be long. */
export const quote = (text: string) => `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;

export const quoteAll = (texts: readonly string[]) =>
  texts.slice(0, 8).map(quote).join(', ') + (texts.length > 8 ? ` and ${texts.length - 8} more` : '');
