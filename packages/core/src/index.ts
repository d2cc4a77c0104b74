/** The library: a relay for other programs, and the types of plugins. */
export type { ClientError, FailureParams, Retry } from './base/client_error.ts';
export type { Files, SentFile, UploadedFile } from './base/files.ts';
export type { MaybePromise } from './base/maybe_promise.ts';
export type { Address, Network } from './base/networks.ts';
export type { Rates } from './base/rates.ts';
export type { Result } from './base/result.ts';
export type { Streamed } from './base/streamed.ts';
export type { Values } from './base/values.ts';
export type { Captcha } from './features/captcha.ts';
export type { FormToken, TokenExtras, TokenRequest, TokenUse } from './features/form_token.ts';
export type { Condition } from './fields/condition.ts';
export type {
  Classes,
  ControlState,
  Declared,
  Field,
  FieldCard,
  FieldType,
  Inputs,
  Option,
  TakenFiles,
} from './fields/field.ts';
export type { Form } from './form.ts';
export type { Html, HtmlValue } from './html/html.ts';
export type { Client, UnknownClient } from './http/client.ts';
export type { RelayRequest, RelayResponse, RequestHead } from './http/request.ts';
export type {
  Format,
  Locale,
  LocalizedText,
  Message,
  Messages,
  Param,
  Size,
  Spelled,
  Text,
  Translate,
  Wait,
} from './messages/message.ts';
export type { FieldError, Outcome } from './outcome.ts';
export type {
  Delivery,
  FormOutput,
  MailParts,
  OutputContext,
  OutputForm,
  OutputType,
  RejectedArchive,
  Rejection,
  Remark,
  Transport,
} from './outputs/output.ts';
export type { FinalAnswer, OutputRequest, RequestParts } from './outputs/request.ts';
export type { Deliverable } from './pipeline/deliver.ts';
export type * from './plugin.ts';
export type { OpenRuntime, Relay, RelayOptions, Runtime } from './relay.ts';
export type { Diagnostics } from './schema/diagnostics.ts';
export type { JsonSchema, Parsed, Properties, Property, Schema } from './schema/kinds.ts';
export type { Rate } from './schema/rate.ts';
export type { Page, TemplateContext } from './schema/template.ts';
export type { Aws, HttpAnswer, Log, Mail, Mailbox, Services, SmtpCredentials } from './services.ts';
export type { Settings } from './settings.ts';
export { SettingError } from './settings.ts';
export { type Kit, type MakePlugin, sharedKit } from './shared_kit.ts';
export type { DeliveryResult, Handler, Middleware, Submission } from './submission.ts';
