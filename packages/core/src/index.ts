/** The types of the core, for the packages that build on it. */

export type { Mailbox } from '@form-relay/base/address';
export type { Client, UnknownClient } from '@form-relay/base/client';
export type { ClientError, FailureParams, Retry, ServiceCode } from '@form-relay/base/client_error';
export type { Condition } from '@form-relay/base/condition';
export type { Html, HtmlValue } from '@form-relay/base/html';
export type { MaybePromise } from '@form-relay/base/maybe_promise';
export type { Address, Network } from '@form-relay/base/networks';
export type { Rate, Rates } from '@form-relay/base/rates';
export type { Result } from '@form-relay/base/result';
export type { Streamed } from '@form-relay/base/streamed';
export type { Files, SentFile, UploadedFile, Values } from '@form-relay/base/values';
export type { Diagnostics, Fix, Path } from '@form-relay/schema/diagnostics';
export type {
  JsonSchema,
  LocalizedText,
  Parsed,
  Properties,
  Property,
  Schema,
} from '@form-relay/schema/kinds';
export type { Page, Template, TemplateContext } from '@form-relay/schema/template';
export type { Derivation } from './fields/derived.ts';
export type * from './fields/field.ts';
export type { Form } from './form.ts';
export type { RelayRequest, RelayResponse, RequestHead } from './http/request.ts';
export type * from './messages/message.ts';
export type {
  Call,
  Delivery,
  PayloadPlan,
  RejectedArchive,
  Rejection,
  Remark,
  Transport,
} from './outputs/delivery.ts';
export type {
  Common,
  FieldRead,
  FormOutput,
  MailParts,
  OutputContext,
  OutputForm,
  OutputType,
} from './outputs/output.ts';
export type { FinalAnswer, OutputRequest, RequestParts } from './outputs/request.ts';
export type { Deliverable } from './pipeline/deliver.ts';
export type * from './plugin.ts';
export type * from './services.ts';
export type { Settings } from './settings.ts';
export { SettingError } from './settings.ts';
export type { DeliveryResult, FieldError, Handler, Middleware, Outcome, Submission } from './submission.ts';
