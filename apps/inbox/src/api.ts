/**
 * JSON exchanged by the inbox's page and its server. Times are milliseconds since the epoch. All paths begin
 * with `/api/`; all answers except `about` require `read`, and cover only the forms that the person may see.
 *
 * ```text
 * GET    /api/about                        About
 * GET    /api/events                       server-sent events: `change` Change, `progress` Progress,
 * `learning`
 * GET    /api/entries?…Query&from=0&count=100     Window
 * GET    /api/entries/ID                   Letter
 * GET    /api/entries/ID/files/N           a file from 1, unless it is sealed; `?save` to save it
 * POST   /api/entries/ID/ACTION            an `ActionAsked`; answers an `ActionDone`; needs `act`
 * DELETE /api/entries/ID                   removes it everywhere; answers an `ActionDone`; needs `erase`
 * POST   /api/read                         { ids, read: boolean } → { changed }
 * POST   /api/read?…Query                  { all: true, read: boolean } → { changed }
 * POST   /api/learn                        { model: name } → ActionDone; needs `act` in all of its forms
 * GET    /api/export?format=csv|jsonl&…Query      a download
 * POST   /api/export                       { format, ids }: the same of these
 * POST   /api/person                       { email } → Found, the list to review before erasing; needs
 * `erase`
 * POST   /api/person/export                { email } → JSON Lines with all that is stored
 * POST   /api/person/erase                 { email, ids } → Erased; `ids` as `Found` had them
 * POST   /api/entries/ID/work              a `WorkChange`; with `version`, 409 if it has changed since; needs
 * `act`
 * GET    /api/entries/ID/work              WorkDetail
 * POST   /api/entries/ID/notes             { text }; /notes/N { text: '' } removes one's own; both answer a
 * WorkDetail; need `act`
 * POST   /api/entries/ID/draft             { to, subject, text }: of a reply, for this person; empty text
 * removes it; needs `act`
 * POST   /api/entries/ID/reply             a `ReplyRequest`; answers an `ActionDone`; needs `act`
 * POST   /api/work                         a `WorkChange` with ids → { changed }; needs `act` in each form
 * POST   /api/labels                       { name, color } or { name, isRemoved: true }; needs `act` in some
 * form
 * POST   /api/views                        { name, query, isShared } or { nth, isRemoved: true }
 * POST   /api/sign-out
 * GET    /api/reasons?…Query               { reasons: Reason[] }: why these need attention
 * GET    /api/run                          { run?: Run }: the person's own
 * POST   /api/run?…Query                   RunRequest → { run }: acts on everything that matches, or on
 * `ids`; needs `act`
 * POST   /api/run/cancel, undo, close      {} → { run? }
 * POST   /api/numbers?…Query               { days: [since, until][] } → Numbers
 * GET    /api/summary?…Query               lines of JSON, each a Summary of what has been read so far;
 * `format=csv`: a download
 * ```
 *
 * Failed requests answer `{ error: string }`, in words for the user.
 */

import type { LearnedModel, Mark, Progress } from './many.ts';
import type { Right } from './people.ts';

export type * from './many.ts';
export type * from './people.ts';

/** `stored`: in an archive; `kept`: a delivery is queued for a retry, or for its owner; `dropped`: rejected by a check. */
export const states = ['stored', 'kept', 'dropped'] as const;
export type State = (typeof states)[number];

/**
 * An entry's standing: the first of these that applies. `failed`: a delivery waits for its owner. `waiting`: the relay
 * will retry it. `doubted`: it has spam points and no mark. `delivered`: everything else in an archive.
 */
export const standings = ['failed', 'waiting', 'dropped', 'doubted', 'delivered'] as const;
export type Standing = (typeof standings)[number];
export type Counts = Readonly<Record<Standing, number>>;
export const noCounts: Counts = { failed: 0, waiting: 0, dropped: 0, doubted: 0, delivered: 0 };

/** Filters for entries, also used as query parameters. An absent filter matches everything. */
export interface Query {
  /** All of these words must occur; the last may be a prefix. */
  readonly search?: string;
  readonly form?: string;
  readonly since?: number;
  readonly until?: number;
  readonly state?: State | Standing;
  readonly unread?: boolean;
  readonly mark?: Mark | 'none';
  /** Why its delivery failed, or the check that dropped it, as in `Reason.reason`. */
  readonly reason?: string;
  readonly label?: string;
  /** The assignee's name; `-` means unassigned. */
  readonly assigned?: string;
  readonly work?: 'open' | 'done';
}

export interface Entry {
  /** The submission's id, as in the log. */
  readonly id: string;
  readonly form: string;
  readonly receivedAt: number;
  readonly state: State;
  readonly isDoubted: boolean;
  /** Whether a delivery waits for its owner. */
  readonly isFailed: boolean;
  readonly isRead: boolean;
  /** `sender` and `summary` are empty for a sealed entry. */
  readonly isSealed: boolean;
  readonly mark?: Mark | undefined;
  /** The name or address in the submission, as the visitor typed it. */
  readonly sender: string;
  /** The start of its values, for one line. */
  readonly summary: string;
  readonly files: number;
  /**
   * Set if the visitor changed or withdrew the submission, or if this entry is a change whose original is
   * gone, or whose delivery is queued.
   */
  readonly part?: 'changed' | 'withdrawn' | undefined;
  /** Absent until somebody adds something. */
  readonly work?: Work | undefined;
}

export interface Work {
  /** Increases with each change. */
  readonly version: number;
  readonly isDone: boolean;
  /** Empty if unassigned. */
  readonly assigned: string;
  readonly labels: readonly string[];
  /** The number of notes and replies. */
  readonly notes: number;
  readonly replies: number;
}

export interface Note {
  readonly kind: 'note';
  readonly nth: number;
  readonly at: number;
  readonly who: string;
  readonly text: string;
}

export interface Reply {
  readonly kind: 'reply';
  readonly key: string;
  readonly at: number;
  readonly who: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** `unsure`: the mail may have arrived. */
  readonly state: 'sending' | 'sent' | 'failed' | 'unsure';
  /** Why it could not be sent, or what the mail server said. */
  readonly why?: string | undefined;
}

export type Draft = Pick<Reply, 'to' | 'subject' | 'text'>;

export interface WorkDetail extends Work {
  /** The person who last changed it; empty if nobody has. */
  readonly who: string;
  /** Oldest first. */
  readonly thread: readonly (Note | Reply)[];
  /** The current person's draft. */
  readonly draft?: Draft | undefined;
}

export interface WorkChange {
  readonly isDone?: boolean | undefined;
  readonly assigned?: string | undefined;
  readonly add?: readonly string[] | undefined;
  readonly remove?: readonly string[] | undefined;
}

/** `key`: a UUID made by the page, so that a reply is sent only once. `isAgain`: send it even if it may already have arrived. */
export interface ReplyRequest extends Draft {
  readonly key: string;
  readonly isAgain?: boolean;
}

/** `color`: from 0 to 7. */
export interface Label {
  readonly name: string;
  readonly color: number;
}

export interface View {
  readonly nth: number;
  readonly name: string;
  /** As in the page's URL. */
  readonly query: string;
  readonly isShared: boolean;
  /** Whether the person may remove it. */
  readonly isOwn: boolean;
}

export interface Window {
  /** Increases with each change of the index; windows of different versions may overlap. */
  readonly version: number;
  /** The number of entries that match. */
  readonly total: number;
  /** Whether more than `total` match; the rest have not been counted yet. */
  readonly hasMore?: boolean;
  readonly entries: readonly Entry[];
}

export interface MessageField {
  readonly name: string;
  readonly label: string;
  readonly values: readonly string[];
  /** The field's type in the current form; `mark` for the mark of a doubted submission. */
  readonly type?: string | undefined;
}

export interface MessageFile {
  /** Counts from 1. */
  readonly nth: number;
  readonly field: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** Whether the page may show it as an image. */
  readonly preview?: true;
}

/** A queued delivery. */
export interface Delivery {
  /** The output's index in its form at the time of queuing. */
  readonly output: number;
  readonly type: string;
  /** The recipient in words, if the output is still in the config. */
  readonly target?: string | undefined;
  /** Why it is queued, in words for the owner. */
  readonly reason?: string | undefined;
  /** When the relay will retry it, if it does. */
  readonly nextAt?: number | undefined;
  /** Whether it waits for the owner: a retry would not help, or the time for retries has run out. */
  readonly waitsForOwner?: boolean | undefined;
}

export interface MessageView extends Entry {
  /** The language of the labels, such as `de`. */
  readonly language: string;
  readonly fields: readonly MessageField[];
  /** All versions, the latest first, if the visitor changed the submission. */
  readonly history: readonly (Pick<Entry, 'receivedAt' | 'part'> & Pick<MessageView, 'fields'>)[];
  readonly attached: readonly MessageFile[];
  readonly page?: { readonly url: string; readonly title: string } | undefined;
  readonly deliveries: readonly Delivery[];
  readonly dropped?: { readonly by: string; readonly reason: string } | undefined;
  /** `false` if the form is no longer in the config, so nothing can be delivered. */
  readonly isFormKnown: boolean;
  /** The form's current outputs, for delivering again. */
  readonly outputs: readonly { readonly index: number; readonly type: string; readonly target: string }[];
  readonly places: readonly string[];
  /** Absent if the inbox has no store. */
  readonly detail?: WorkDetail | undefined;
  /** How replies are sent; absent if the form sends no mails. */
  readonly replies?: { readonly from: string; readonly replyTo: string } | undefined;
}

export type ActionRequest =
  | { readonly action: 'deliver'; readonly output: number }
  | { readonly action: 'again'; readonly output: number }
  | { readonly action: 'restore' }
  | { readonly action: 'mark'; readonly mark: Mark };

export interface ActionDone {
  readonly isDone: boolean;
  /** Whether the receiver refused it. */
  readonly isUntaken?: true;
  /** A message for the person who clicked. */
  readonly words: string;
}

export interface About {
  /** The config as named on the command line. */
  readonly config: string;
  readonly forms: readonly {
    readonly id: string;
    readonly title: string;
    readonly isKnown: boolean;
    readonly total: number;
    readonly unread: number;
    /** The last result of its canary; absent if unknown. Times are in milliseconds since the epoch. */
    readonly tested?:
      | { readonly passedAt?: number | undefined; readonly failingSince?: number | undefined }
      | undefined;
    /** How many submissions in each state need attention: those without a mark. */
    readonly attention: Counts;
    readonly outputs: readonly string[];
    /** Rights beyond `read`: whether the person has each. */
    readonly rights: Readonly<Record<Exclude<Right, 'read'>, boolean>>;
  }[];
  /** The places that are read, in words. */
  readonly places: readonly string[];
  /** The latest problems with single files, in words. */
  readonly troubles: { readonly count: number; readonly latest: readonly string[] };
  readonly progress?: Progress | undefined;
  /** Models of which the person may see all forms. */
  readonly models: readonly LearnedModel[];
  readonly person: { readonly name: string; readonly canSignOut: boolean; readonly mayManage: boolean };
  /** Absent if people cannot add anything. */
  readonly work?:
    | {
        readonly labels: readonly Label[];
        readonly views: readonly View[];
        /** People to whom submissions are or can be assigned. */
        readonly people: readonly string[];
        /** Whether any name is accepted. */
        readonly isFree: boolean;
      }
    | undefined;
  /** Why people cannot add anything, in words. */
  readonly whyNoWork?: string | undefined;
}
