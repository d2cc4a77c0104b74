/**
 * JSON exchanged by the studio's server and its page, and their limits. The page imports values from this
 * file, so it must contain nothing else.
 */

import type { SubmissionReport } from '@form-relay/dry-run/report';
import type { Sample } from '@form-relay/dry-run/samples';
import type { Template } from '@form-relay/starters/templates';
import type { Action } from '../edit/model.ts';
import type { LiveConfig } from './live_config.ts';

/** `GET /studio/state`, with the query of the page's URL. */
export interface StudioState {
  /** Changes with each start of the server. */
  readonly run: string;
  /** `relay dev --live`: outputs really deliver. */
  readonly isLive: boolean;
  /** The relay's address in code to copy, until the owner enters another. */
  readonly origin: string;
  /** PUBLIC_URL from the environment. */
  readonly publicUrl: string | undefined;
  readonly file: FileState;
  readonly problems: readonly ProblemState[];
  /** All forms of the last valid config. */
  readonly forms: readonly { readonly id: string; readonly title: string }[];
  /** The form named in the query, else the first. */
  readonly form: FormState | undefined;
}

/** `POST /studio/config/draft`, `/discard` and `/save`, with the query of the page's URL. */
export interface Written {
  readonly state: StudioState;
  /** Why the file could not be written. */
  readonly trouble?: string | undefined;
  /** Not saved because the config does not load. */
  readonly isBroken?: boolean;
  /** Not written because the file has changed on disk. */
  readonly isChanged?: boolean;
  /** Nothing was done, because another page has changed the draft since this page last saw it. */
  readonly isOutdated?: boolean;
}

/** `state` is `never_loaded` if no version ever loaded, `refresh_failed` if `form` is from an older text. */
export interface FileState
  extends Pick<LiveConfig, 'id' | 'text' | 'textVersion' | 'version' | 'isDraft' | 'overtakenBy' | 'state'> {
  readonly name: string;
  /** Why the text cannot be changed here. */
  readonly locked: string | undefined;
}

/** A problem found by the relay, with its position. */
export interface ProblemState {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  /** 1-based; 0 for a problem without a position in the text. */
  readonly line: number;
  readonly column: number;
  /** Length in characters on the line. */
  readonly length: number;
  /** For example `forms.contact.fields[0].type`. */
  readonly path: string;
  readonly message: string;
  readonly fix: Fix | undefined;
}

/** A fix that one click applies: replaces the marked text with the suggested word, sets keys, or shows the form's outputs. */
export interface Fix {
  /** The button's label. */
  readonly name: string;
  readonly text?: string;
  readonly actions?: readonly Action[];
  readonly outputsOf?: string;
}

export interface FormState {
  readonly id: string;
  readonly title: string;
  readonly language: string;
  /** Empty if the form has only one language. */
  readonly languages: readonly { readonly tag: string; readonly name: string }[];
  /** The URL of the form in the frame. */
  readonly frame: string;
  /** A hash of everything that a visitor sees of the form. */
  readonly shape: string;
  /** Sample values that the form accepts. */
  readonly samples: readonly Sample[];
  /** Names of fields that the form does not take from its URL. */
  readonly byHand: readonly string[];
  /** Sentences of "What is behind it". */
  readonly checks: readonly { readonly name: string; readonly says: string }[];
  readonly outputs: readonly OutputState[];
  readonly keep: string | undefined;
  readonly notes: readonly string[];
  readonly site: SiteState;
  readonly fieldCount: number;
  readonly canvas: Canvas;
}

export interface OutputState {
  /** Whether each of its environment variables is set here. */
  readonly variables: Readonly<Record<string, boolean>>;
  /** Whether it sends every field with its label, as an output without a mapping does. */
  readonly sendsAll: boolean;
  readonly type: string;
  readonly target: string;
  readonly onError: string;
  readonly when: string | undefined;
}

/** `POST /studio/connect/check` and `/test`. */
export interface Connected {
  readonly findings: readonly {
    readonly level: 'ok' | 'warning' | 'failure';
    readonly subject: string;
    readonly says: string;
    readonly remedy?: string;
  }[];
  /** Why nothing was tried or saved. */
  readonly trouble?: string;
  /** Variables that are now in `.env`. */
  readonly saved?: readonly string[];
  /** Whether the owner may save the input anyway. */
  readonly canSave?: boolean;
}

/** `POST /studio/connect/guess`: empty if the address's provider is unknown. */
export interface Guessed {
  /** The account's name in the gallery, such as `gmail`. */
  readonly account?: string;
  readonly host?: string;
  readonly port?: number;
}

/** A relay that the studio has started on this machine. */
export interface Served {
  readonly isRunning: boolean;
  /** Whether it listens on the local network, too. */
  readonly isShared: boolean;
  readonly isHealthy: boolean;
  readonly isReady: boolean;
  readonly port: number | undefined;
  /** Whether it serves the current file, or an older version because the file does not load. */
  readonly config: 'latest' | 'older' | undefined;
  readonly lines: readonly LogLine[];
}

/** A line of its log. */
export interface LogLine {
  readonly number: number;
  /** UTC, ISO 8601. */
  readonly time: string;
  readonly level: string;
  readonly event: string;
  readonly form?: string;
  readonly outcome?: string;
  readonly deliveries?: readonly {
    readonly type: string;
    readonly outcome: string;
    readonly reason?: string;
  }[];
  /** Everything else, as JSON. */
  readonly rest: string;
}

/** `GET /studio/publish`, and the event `served`. */
export interface PublishState extends Served {
  readonly addresses: readonly string[];
  readonly targets: readonly {
    readonly name: string;
    readonly title: string;
    readonly page: string;
    /** Label of the target's other setting, such as the name of an app. */
    readonly place: string | undefined;
  }[];
}

/** Code that an owner adds to a site of this kind. */
export interface Snippet {
  /** The tool that builds the site. */
  readonly name: string;
  readonly parts: readonly { readonly where: string; readonly code: string }[];
}

/** "Put it on my site". */
export interface SiteState {
  /** The URL of the form's own page. */
  readonly page: string;
  readonly snippets: readonly Snippet[];
  /** A curl command, with a note on what a request without a browser lacks. */
  readonly curl: string;
  readonly curlNote: string;
}

/** Pictures for the builder: HTML rendered by the relay, to be put inside `class="form-relay"`. */
export interface Canvas {
  /** The writing direction of the form's language. */
  readonly direction: 'ltr' | 'rtl';
  /** The fields' names in order, without notes. */
  readonly names: readonly string[];
  /** Keyed by the field's name. `hidden` fields have no picture. */
  readonly fields: Readonly<Record<string, string>>;
  /** Keyed by the note's text. */
  readonly notes: Readonly<Record<string, string>>;
  readonly title: string;
  readonly submit: string;
}

/** `GET /studio/palette.json`: parts that can be added to a form. */
export interface Palette {
  /** The stylesheet of all pictures, including those of the canvas. */
  readonly style: string;
  readonly parts: readonly PalettePart[];
}

export interface PalettePart {
  /** The field's type, or `note`, `group` or `step`. */
  readonly type: string;
  readonly title: string;
  /** A sentence from the schema. */
  readonly says: string;
  /** The heading under which it is listed. */
  readonly purpose: Purpose;
  /** Search words. */
  readonly words: string;
  readonly picture: string;
  /** Whether conditions can test the field, and whether mails to visitors can contain it. */
  readonly decides?: boolean;
  /** General field keys that it rejects or does not need. */
  readonly idleKeys?: readonly string[];
  readonly isInMails?: boolean;
  /** The item to insert into `fields`; `undefined` for groups and steps, which refer to fields. */
  readonly value: Readonly<Record<string, unknown>> | undefined;
}

export type Purpose = 'Text' | 'Choice' | 'Date and number' | 'Files' | 'Layout';

/** `GET /studio/templates.json`: complete configs with one form each, to start from. */
export interface StartingPointsState {
  /** The stylesheet of the pictures. */
  readonly style: string;
  readonly templates: readonly StartingPoint[];
}

export interface StartingPoint extends Template {
  /** The form as HTML from the relay, without scripts. */
  readonly picture: string;
}

/** The event `report`: a submission was processed. */
export interface ReportState {
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly answeredAt: number;
  readonly report: SubmissionReport;
  readonly ending: EndingState;
  /** The confirmation link in a mail that the submission waits for. */
  readonly link: string | undefined;
}

/** Each outcome has a word, an icon and a colour, so that none of these must be understood alone. */
export interface EndingState {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: 'check' | 'clock' | 'alert' | 'slash' | 'cross';
}

export type Tone = 'ok' | 'quiet' | 'warn' | 'bad';

/** The longest draft that the studio accepts. Checking 4 MB with 2,000 forms takes 400 MB of memory. */
export const maxDraftBytes = 4 * 1_048_576;

export const tooLongToEdit = 'the studio edits configs of up to 4 MB; use another editor for a longer one';
