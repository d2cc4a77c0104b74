export { apiPath, linkField, pageAddress, withQuery } from '../src/api_urls.ts';
export {
  addressOf,
  bareAddress,
  domainOf,
  mailboxParts,
  parseMailbox,
} from '../src/base/address.ts';
export { type Proxies, readClient } from '../src/base/client.ts';
export { ClientError, failed, stackOf } from '../src/base/client_error.ts';
export { inWords } from '../src/base/condition.ts';
export { doubtNames } from '../src/base/doubt.ts';
export type {
  Effects,
  HttpAnswer,
  Log,
  Mailbox,
  PruneArchive,
  PruneEnding,
  SocketAddress,
} from '../src/base/effects.ts';
export type { DeliveryError, Listener, Observer } from '../src/base/event.ts';
export {
  type Files,
  fileInWords,
  noFiles,
  type SentFile,
  sizeInWords,
  type UploadedFile,
} from '../src/base/files.ts';
export { attributes, type Html, html } from '../src/base/html.ts';
export {
  lambdaBodyBytes,
  type RelayRequest,
  type RelayResponse,
} from '../src/base/http.ts';
export type { Job, Payload } from '../src/base/job.ts';
export type {
  DeliveryLine,
  JournalDelivery,
  JournalLine,
  StatsLine,
  SubmissionLine,
} from '../src/base/journal_line.ts';
export { clientNetwork, writeNetwork } from '../src/base/networks.ts';
export type { FieldError, Outcome } from '../src/base/outcome.ts';
export { maxConfigBytes, ownersText, type ReadText, wideEncoding } from '../src/base/owners_text.ts';
export { pageAt, pageFields } from '../src/base/page_context.ts';
export { err, ok, type Result } from '../src/base/result.ts';
export { isAddress } from '../src/base/same_address.ts';
export { inTime } from '../src/base/soon.ts';
export { control, format } from '../src/base/unicode.ts';
export { decodeSegment, isLoopback, isThisMachine, parseUrl, reservedHostIn } from '../src/base/url.ts';
export { maxValueBytes, type Values, withoutEmpty } from '../src/base/values.ts';
export { version } from '../src/base/version.ts';
export { parseQuery, parseUrlencoded } from '../src/bodies/urlencoded.ts';
export { type Form, type FormOutput, type Keeper, pathOf } from '../src/form.ts';
export { ageInWords } from '../src/keeping/age_words.ts';
export { createRates } from '../src/memory/rates.ts';
export type { Path, Place } from '../src/schema/finding.ts';
export { hasLinks } from '../src/schema/linked_text.ts';
export type { Handle } from '../src/street/app.ts';
export { deliverTo, takes } from '../src/street/deliver.ts';
export { submissionBudgetMs } from '../src/street/post_submission.ts';
export { restore } from '../src/street/restore.ts';
