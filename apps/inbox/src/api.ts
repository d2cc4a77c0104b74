/**
 * The JSON that the inbox's page and its server exchange. Times are milliseconds since the epoch. All addresses begin
 * with `/api/`; each answer but `about` is only for people with `read`, and shows only the forms that they may see.
 *
 * ```text
 * GET    /api/about                        About
 * GET    /api/events                       server-sent events: `change` Change, `progress` Progress, `learning`
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
 * POST   /api/person                       { email } → Found, the list before erasing; needs `erase`
 * POST   /api/person/export                { email } → JSON Lines with all that is stored
 * POST   /api/person/erase                 { email, ids } → Erased; `ids` as `Found` had them
 * POST   /api/entries/ID/work              a `WorkChange`; with `version`, 409 if somebody changed it meanwhile; needs `act`
 * GET    /api/entries/ID/work              WorkDetail
 * POST   /api/entries/ID/notes             { text }; /notes/N { text: '' } removes an own one; both answer a WorkDetail; need `act`
 * POST   /api/entries/ID/draft             { to, subject, text }: of a reply, for this person; empty text removes it; needs `act`
 * POST   /api/entries/ID/reply             a `ReplyRequest`; answers an `ActionDone`; needs `act`
 * POST   /api/work                         a `WorkChange` with ids → { changed }; needs `act` in each form
 * POST   /api/labels                       { name, color } or { name, isRemoved: true }; needs `act` in some form
 * POST   /api/views                        { name, query, isShared } or { nth, isRemoved: true }
 * POST   /api/sign-out
 * GET    /api/reasons?…Query               { reasons: Reason[] }: why these need a look
 * GET    /api/run                          { run?: Run }: the person's own
 * POST   /api/run?…Query                   RunRequest → { run }: acts on each of the choice, or of `ids`; needs `act`
 * POST   /api/run/cancel, undo, close      {} → { run? }
 * POST   /api/numbers?…Query               { days: [since, until][] } → Numbers
 * GET    /api/summary?…Query               lines of JSON, each a Summary of what was read by then; `format=csv`: a download
 * ```
 *
 * A request that fails answers `{ error: string }` in words for a person, with its status.
 */

import type { LearnedModel, Mark, Progress } from './many.ts';
import type { Right } from './people.ts';

export type * from './many.ts';
export type * from './people.ts';

/** `stored`: an archive has it; `kept`: a delivery waits for its next try, or for its owner; `dropped`: a check turned it away. */
export const states = ['stored', 'kept', 'dropped'] as const;
export type State = (typeof states)[number];

/**
 * How an entry stands for its owner: the first of these that holds. `failed`: a delivery waits for its owner. `waiting`: the
 * relay tries it again. `doubted`: it has points against it, and no mark. `delivered`: all else that an archive has.
 */
export const standings = ['failed', 'waiting', 'dropped', 'doubted', 'delivered'] as const;
export type Standing = (typeof standings)[number];
export type Counts = Readonly<Record<Standing, number>>;
export const noCounts: Counts = { failed: 0, waiting: 0, dropped: 0, doubted: 0, delivered: 0 };

/** A choice of entries; as query parameters of the same names. All of what is left out. */
export interface Query {
  /** Words; each must occur, the last one may be the beginning of a word. */
  readonly search?: string;
  readonly form?: string;
  readonly since?: number;
  readonly until?: number;
  readonly state?: State | Standing;
  readonly unread?: boolean;
  readonly mark?: Mark | 'none';
  /** Why its delivery failed, or the check that dropped it, as `Reason.reason` has it. */
  readonly reason?: string;
  readonly label?: string;
  /** Somebody's name; `-`: nobody. */
  readonly assigned?: string;
  readonly work?: 'open' | 'done';
}

/** A line of the list. */
export interface Entry {
  /** The submission's id, as in the log. */
  readonly id: string;
  readonly form: string;
  readonly receivedAt: number;
  readonly state: State;
  readonly isDoubted: boolean;
  /** A delivery waits for its owner. */
  readonly isFailed: boolean;
  readonly isRead: boolean;
  /** For a sealed entry, `sender` and `summary` are empty. */
  readonly isSealed: boolean;
  readonly mark?: Mark | undefined;
  /** The name or address that the submission gives, as its visitor typed it. */
  readonly sender: string;
  /** The beginning of its values, for one line. */
  readonly summary: string;
  readonly files: number;
  /** Set if the visitor changed or withdrew it; or if it is itself a change, of a submission that is gone, or one that waits. */
  readonly part?: 'changed' | 'withdrawn' | undefined;
  /** Absent: nobody has added anything. */
  readonly work?: Work | undefined;
}

/** The work on a submission. */
export interface Work {
  /** Grows with each change. */
  readonly version: number;
  readonly isDone: boolean;
  /** Empty: nobody. */
  readonly assigned: string;
  readonly labels: readonly string[];
  /** How many notes and replies there are. */
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
  /** `unsure`: it may have arrived. */
  readonly state: 'sending' | 'sent' | 'failed' | 'unsure';
  /** In words: why it did not leave, or what its server said. */
  readonly why?: string | undefined;
}

export type Draft = Pick<Reply, 'to' | 'subject' | 'text'>;

export interface WorkDetail extends Work {
  /** The person who changed it last; empty: nobody yet. */
  readonly who: string;
  /** The oldest first. */
  readonly thread: readonly (Note | Reply)[];
  /** This person's. */
  readonly draft?: Draft | undefined;
}

export interface WorkChange {
  readonly isDone?: boolean | undefined;
  readonly assigned?: string | undefined;
  readonly add?: readonly string[] | undefined;
  readonly remove?: readonly string[] | undefined;
}

/** `key`: a UUID of the page, by which the same reply is sent once. `isAgain`: even if it may have arrived. */
export interface ReplyRequest extends Draft {
  readonly key: string;
  readonly isAgain?: boolean;
}

/** `color`: from 0 to 7. */
export interface Label {
  readonly name: string;
  readonly color: number;
}

/** A filter with a name. */
export interface View {
  readonly nth: number;
  readonly name: string;
  /** As in an address. */
  readonly query: string;
  readonly isShared: boolean;
  /** Whether the person may remove it. */
  readonly isOwn: boolean;
}

export interface Window {
  /** Grows with each change of the index; windows of different versions may overlap. */
  readonly version: number;
  /** The number of entries in the whole choice. */
  readonly total: number;
  /** There are more than `total`, which were not counted yet. */
  readonly hasMore?: boolean;
  readonly entries: readonly Entry[];
}

export interface MessageField {
  readonly name: string;
  readonly label: string;
  readonly values: readonly string[];
  /** The type of the field in the form as it is now; `mark` for the mark of a doubted one. */
  readonly type?: string | undefined;
}

export interface MessageFile {
  /** From 1. */
  readonly nth: number;
  readonly field: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** The page may show it as an image. */
  readonly preview?: true;
}

/** A delivery that waits in a store. */
export interface Delivery {
  /** The output's index in its form when it was kept. */
  readonly output: number;
  readonly type: string;
  /** The recipient in words, if the config still has the output. */
  readonly target?: string | undefined;
  /** In words, for the owner: why it waits. */
  readonly reason?: string | undefined;
  /** The time of the next try, if the relay makes it by itself. */
  readonly nextAt?: number | undefined;
  /** Waits for the owner: retrying would not help, or the time for retries is over. */
  readonly waitsForOwner?: boolean | undefined;
}

/** A submission with all that is known of it. */
export interface MessageView extends Entry {
  /** The language of its labels, such as `de`. */
  readonly language: string;
  readonly fields: readonly MessageField[];
  /** All versions, the latest first, if the visitor changed it. */
  readonly history: readonly (Pick<Entry, 'receivedAt' | 'part'> & Pick<MessageView, 'fields'>)[];
  readonly attached: readonly MessageFile[];
  readonly page?: { readonly url: string; readonly title: string } | undefined;
  readonly deliveries: readonly Delivery[];
  readonly dropped?: { readonly by: string; readonly reason: string } | undefined;
  /** `false`: the form is gone from the config, so that nothing can be delivered. */
  readonly isFormKnown: boolean;
  /** The form's outputs now, for delivering again. */
  readonly outputs: readonly { readonly index: number; readonly type: string; readonly target: string }[];
  /** Where it is stored, in words. */
  readonly places: readonly string[];
  /** Absent: the inbox has no store. */
  readonly detail?: WorkDetail | undefined;
  /** How a reply leaves; absent: the form sends no mails. */
  readonly replies?: { readonly from: string; readonly replyTo: string } | undefined;
}

export type ActionRequest =
  | { readonly action: 'deliver'; readonly output: number }
  | { readonly action: 'again'; readonly output: number }
  | { readonly action: 'restore' }
  | { readonly action: 'mark'; readonly mark: Mark };

export interface ActionDone {
  readonly isDone: boolean;
  /** The other side did not take it. */
  readonly isUntaken?: true;
  /** In words, for the person who clicked. */
  readonly words: string;
}

export interface About {
  /** The config, as the command line names it. */
  readonly config: string;
  readonly forms: readonly {
    readonly id: string;
    readonly title: string;
    readonly isKnown: boolean;
    readonly total: number;
    readonly unread: number;
    /** The last test by its canary; absent if none is known. Times are in milliseconds since the epoch. */
    readonly tested?:
      | { readonly passedAt?: number | undefined; readonly failingSince?: number | undefined }
      | undefined;
    /** How many of each need a look: those that nobody marked. */
    readonly attention: Counts;
    /** The outputs in words, for delivering again. */
    readonly outputs: readonly string[];
    /** Beyond reading: whether the server does it when this person asks. */
    readonly rights: Readonly<Record<Exclude<Right, 'read'>, boolean>>;
  }[];
  /** Places that are read, in words. */
  readonly places: readonly string[];
  /** Troubles with single files, the latest ones, in words. */
  readonly troubles: { readonly count: number; readonly latest: readonly string[] };
  readonly progress?: Progress | undefined;
  /** The models for which the person may see all forms. */
  readonly models: readonly LearnedModel[];
  readonly person: { readonly name: string; readonly canSignOut: boolean; readonly mayManage: boolean };
  /** Absent: people can add nothing. */
  readonly work?:
    | {
        readonly labels: readonly Label[];
        readonly views: readonly View[];
        /** To whom submissions are assigned, or can be. */
        readonly people: readonly string[];
        /** Whether any name can be written. */
        readonly isFree: boolean;
      }
    | undefined;
  /** In words: why people can add nothing. */
  readonly whyNoWork?: string | undefined;
}
