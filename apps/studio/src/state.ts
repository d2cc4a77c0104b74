/** JSON that the studio's server gives its page, and the limits of both. The page imports values from here, so nothing else belongs here. */

import type { SubmissionReport } from '@form-relay/dry-run/report';
import type { Sample } from '@form-relay/dry-run/samples';
import type { Template } from '@form-relay/starters/templates';
import type { Action } from '../edit/model.ts';
import type { LiveConfig } from './live_config.ts';

/** `GET /studio/state`, with the query of the page's address. */
export interface StudioState {
  /** Changes with each start of the server. */
  readonly run: string;
  /** `relay dev --live`: really deliver to the outputs. */
  readonly isLive: boolean;
  /** The address of the relay in what owners copy, until they give theirs. */
  readonly origin: string;
  /** PUBLIC_URL of the environment. */
  readonly publicUrl: string | undefined;
  readonly file: FileState;
  readonly problems: readonly ProblemState[];
  /** All forms of the last good version of the config. */
  readonly forms: readonly { readonly id: string; readonly title: string }[];
  /** The form that the query names, else the first. */
  readonly form: FormState | undefined;
}

/** `POST /studio/config/draft`, `/discard` and `/save`, with the query of the page's address. */
export interface Written {
  readonly state: StudioState;
  /** Why the file could not be written. */
  readonly trouble?: string | undefined;
  /** Not saved, because the config does not load. */
  readonly isBroken?: boolean;
  /** Not written, because the file was changed on disk. */
  readonly isChanged?: boolean;
  /** Nothing was done, because the draft is not the one that this page knows: another page changed it. */
  readonly isOutdated?: boolean;
}

/** The `state` is `never_loaded` if no version ever loaded, and `refresh_failed` if `form` is from an older text. */
export interface FileState
  extends Pick<LiveConfig, 'id' | 'text' | 'textVersion' | 'version' | 'isDraft' | 'overtakenBy' | 'state'> {
  readonly name: string;
  /** A reason why the text cannot be changed here. */
  readonly locked: string | undefined;
}

/** A problem of the relay's own checks, in place. */
export interface ProblemState {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  /** 1-based; 0 for a problem without a place in the text. */
  readonly line: number;
  readonly column: number;
  /** In characters of the line. */
  readonly length: number;
  /** For example `forms.contact.fields[0].type`. */
  readonly path: string;
  readonly message: string;
  readonly fix: Fix | undefined;
}

/**
 * The change that a click makes: the marked text becomes the word that was meant; or keys are set; or the form's
 * outputs are shown.
 */
export interface Fix {
  /** The words of the button. */
  readonly name: string;
  readonly text?: string;
  readonly actions?: readonly Action[];
  readonly outputsOf?: string;
}

export interface FormState {
  readonly id: string;
  readonly title: string;
  readonly language: string;
  /** Empty for a form with one language. */
  readonly languages: readonly { readonly tag: string; readonly name: string }[];
  /** The address of the form in a frame. */
  readonly frame: string;
  /** Changes with whatever a visitor sees of the form. */
  readonly shape: string;
  /** Values that the form takes. */
  readonly samples: readonly Sample[];
  /** The names of what the form does not take from its address. */
  readonly byHand: readonly string[];
  /** The sentences of "What is behind it". */
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
  /** Without a mapping, it sends every field with its label. */
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
  /** The variables that `.env` has now. */
  readonly saved?: readonly string[];
  /** The owner may save what was typed all the same. */
  readonly canSave?: boolean;
}

/** `POST /studio/connect/guess`: empty if nothing is known of an address. */
export interface Guessed {
  /** The name of the account in the gallery, such as `gmail`. */
  readonly account?: string;
  readonly host?: string;
  readonly port?: number;
}

/** A relay that the studio started on this machine. */
export interface Served {
  readonly isRunning: boolean;
  /** For the local network, too. */
  readonly isShared: boolean;
  readonly isHealthy: boolean;
  readonly isReady: boolean;
  readonly port: number | undefined;
  /** Whether it serves the file as it is, or an older version because the file does not load. */
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
  /** All else, as JSON. */
  readonly rest: string;
}

/** `GET /studio/publish`, and an event `served`. */
export interface PublishState extends Served {
  readonly addresses: readonly string[];
  readonly targets: readonly {
    readonly name: string;
    readonly title: string;
    readonly page: string;
    /** The label of what else the target needs, such as the name of an app. */
    readonly place: string | undefined;
  }[];
}

/** The code that an owner writes into a site of this kind. */
export interface Snippet {
  /** The tool that makes the site. */
  readonly name: string;
  readonly parts: readonly { readonly where: string; readonly code: string }[];
}

/** "Put it on my site". */
export interface SiteState {
  /** The address of the form's own page. */
  readonly page: string;
  readonly snippets: readonly Snippet[];
  /** A line with curl, and what is missing where no browser sends it. */
  readonly curl: string;
  readonly curlNote: string;
}

/** Pictures for the builder: HTML as the relay renders it in the form's language, to be put below `class="form-relay"`. */
export interface Canvas {
  /** Which way the form's language is written. */
  readonly direction: 'ltr' | 'rtl';
  /** The fields' names, in their order. Notes are not among them. */
  readonly names: readonly string[];
  /** By the field's name. `hidden` fields have no picture. */
  readonly fields: Readonly<Record<string, string>>;
  /** By the note's text. */
  readonly notes: Readonly<Record<string, string>>;
  readonly title: string;
  readonly submit: string;
}

/** `GET /studio/palette.json`: what can be added to a form. */
export interface Palette {
  /** The stylesheet of all pictures, those of the canvas included. */
  readonly style: string;
  readonly parts: readonly PalettePart[];
}

export interface PalettePart {
  /** The field's type, or `note`, `group` or `step`. */
  readonly type: string;
  readonly title: string;
  /** In a sentence, from the schema. */
  readonly says: string;
  /** Under which heading it is listed. */
  readonly purpose: Purpose;
  /** Other words by which people look for it. */
  readonly words: string;
  readonly picture: string;
  /** Whether conditions of fields can ask for it, and whether mails to visitors can hold it. */
  readonly decides?: boolean;
  /** Keys of all fields that it refuses or does not need. */
  readonly idleKeys?: readonly string[];
  readonly isInMails?: boolean;
  /** The item of `fields` to insert; `undefined` for groups and steps, which name fields. */
  readonly value: Readonly<Record<string, unknown>> | undefined;
}

export type Purpose = 'Text' | 'Choice' | 'Date and number' | 'Files' | 'Layout';

/** `GET /studio/templates.json`: whole configs with one form each, to start from. */
export interface StartingPointsState {
  /** The stylesheet of the pictures. */
  readonly style: string;
  readonly templates: readonly StartingPoint[];
}

export interface StartingPoint extends Template {
  /** The form: HTML of the relay's own, without scripts. */
  readonly picture: string;
}

/** An event `report`: a submission that came. */
export interface ReportState {
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly answeredAt: number;
  readonly report: SubmissionReport;
  readonly ending: EndingState;
  /** The link in a mail for which it waits. */
  readonly link: string | undefined;
}

/** Each outcome has a word, a shape and a colour, so that none of them has to be understood by itself. */
export interface EndingState {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: 'check' | 'clock' | 'alert' | 'slash' | 'cross';
}

export type Tone = 'ok' | 'quiet' | 'warn' | 'bad';

/** The longest text that the studio takes as a draft. To check one of 4 MB, with 2,000 forms, takes 400 MB of memory. */
export const maxDraftBytes = 4 * 1_048_576;

export const tooLongToEdit = 'the studio edits configs of up to 4 MB; use another editor for a longer one';
