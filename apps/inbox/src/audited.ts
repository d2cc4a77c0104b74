/** Everything that people do and an audit log records. */
export type Audited =
  | 'opened'
  | 'downloaded'
  | 'delivered'
  | 'delivered_again'
  | 'restored'
  | 'marked'
  | 'marked_read'
  | 'marked_unread'
  | 'learned'
  | 'deleted'
  | 'exported'
  | 'person_listed'
  | 'person_exported'
  | 'person_erased'
  /** A limit began to refuse somebody's requests; it stands for all that follow at once. */
  | 'limited';

/** The submission that an action is about, or how many. */
export interface AuditedThing {
  readonly form?: string | undefined;
  readonly id?: string | undefined;
  readonly count?: number | undefined;
  /** The limit that was reached. */
  readonly limit?: string | undefined;
  /** The act in the line before was not done, or not for all. */
  readonly failed?: true | undefined;
}

/** A line of the audit log could not be written, and what it would have recorded is not done. */
export class AuditFailed extends Error {
  override readonly name = 'AuditFailed';
  constructor() {
    super('The audit log cannot be written, so nothing was done. The owner finds the reason in the log.');
  }
}
