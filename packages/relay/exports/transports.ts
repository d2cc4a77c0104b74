export type { Output } from '../src/outputs/output.ts';
export {
  type ArchiveDocument,
  type ArchivedFile,
  droppedFolder,
  folderOf,
  inClear,
  readDocumentPath,
} from '../src/transports/archive/archive_entry.ts';
export { type Aws, ownAws } from '../src/transports/aws/account.ts';
export { askS3, createS3Client, s3Refusal, type Waiting } from '../src/transports/aws/s3_request.ts';
export { type AskClamd, askClamd } from '../src/transports/clamd/clamd.ts';
export { connectionRemedy } from '../src/transports/connection_remedy.ts';
export { tryFolder } from '../src/transports/folder/store_file.ts';
export { parseJson } from '../src/transports/http/answer.ts';
export { createTryConnect } from '../src/transports/http/http_probe.ts';
export { httpTarget } from '../src/transports/http/http_transport.ts';
export { createNodeHttpClient } from '../src/transports/http/node_client.ts';
export { readSecret, secretPrefix } from '../src/transports/http/webhook_secret.ts';
export {
  type SignatureHeader,
  signatureHeaders,
  signatureOf,
} from '../src/transports/http/webhook_signature.ts';
export {
  createTransports,
  type Target,
  type Transports,
  takesMails,
} from '../src/transports/index.ts';
export { publicDkimKey } from '../src/transports/mail/dkim_key.ts';
export { createProbes, type ProbeEffects } from '../src/transports/probes.ts';
export { withRetries } from '../src/transports/retries.ts';
export { type BucketReader, createBucketReader } from '../src/transports/s3/read_bucket.ts';
export { createListBucket, createWriteIntoBucket } from '../src/transports/s3/s3_probe.ts';
export { readBucketUrl } from '../src/transports/s3/s3_transport.ts';
export { createSesReader } from '../src/transports/ses/ses_client.ts';
export { findIdentities, type Identity } from '../src/transports/ses/ses_probe.ts';
export {
  accountAt,
  isInbound,
  type MailAccount,
  mailAccounts,
  mistakeIn,
  secretOf,
  serviceOfHost,
  serviceOfMailbox,
  spfOfHost,
} from '../src/transports/smtp/mail_services.ts';
export { createSmtpConnect } from '../src/transports/smtp/smtp_probe.ts';
export type { DkimTarget, SmtpTarget } from '../src/transports/smtp/smtp_transport.ts';
export {
  readTextFile,
  tooLarge,
  whyUnreadable,
  withoutWaiting,
} from '../src/transports/text_file.ts';
export type { Fault, Probe, Said, Shown } from '../src/transports/transport.ts';
