/** `form-relay/plugin`: the types of the plug-in interface, without run-time code. docs/plugins/interface.d.ts records them. */

export type { Mailbox } from '@form-relay/base/address';
export type { Client } from '@form-relay/base/client';
export type { ClientError } from '@form-relay/base/client_error';
export type { Html, HtmlValue } from '@form-relay/base/html';
export type { MaybePromise } from '@form-relay/base/maybe_promise';
export type { Files, SentFile, UploadedFile, Values } from '@form-relay/base/values';
export type {
  Check,
  CheckContext,
  Command,
  CommandContext,
  Finding,
} from '@form-relay/core/command';
export type {
  ControlState,
  Field,
  Option,
} from '@form-relay/core/fields/field';
export type { Form, Note } from '@form-relay/core/form';
export type { Http, PlainAnswer, PlainRequest, Verdict } from '@form-relay/core/http/bound_http';
export type { RelayRequest, RelayResponse } from '@form-relay/core/http/request';
export type { Locale, Message, Messages } from '@form-relay/core/messages/message';
export type { Transport } from '@form-relay/core/outputs/delivery';
export type { FileEncoding, FormOutput, OutputForm } from '@form-relay/core/outputs/output';
export type {
  BodyParser,
  Card,
  Feature,
  FeatureKeys,
  FieldExtension,
  FieldHooks,
  FormConfig,
  FormMarkup,
  FormView,
  Hooks,
  Life,
  Observer,
  OutputConfig,
  OutputExtension,
  OutputHooks,
  Platform,
  Plugin,
  Provided,
  Readiness,
  Registered,
  Route,
  RouteContext,
  Shared,
  TopContext,
  Withdrawing,
} from '@form-relay/core/plugin';
export type { Log, LogLevel, Services } from '@form-relay/core/services';
export type {
  InputField,
  SignalContext,
  SignalInput,
  SignalScore,
  SignalType,
} from '@form-relay/core/signal';
export type {
  DeliveryResult,
  FieldError,
  Handler,
  Middleware,
  Outcome,
  Payload,
  Submission,
} from '@form-relay/core/submission';
export type { FilledIn } from '@form-relay/more-outputs/filled_in';
export type { MessageOptions, ReadableMessage, ReadableRow } from '@form-relay/more-outputs/message';
export type { Kit, MakePlugin } from '@form-relay/plugin-host/kit';
export type {
  Opened,
  PluginCall as Call,
  PluginDelivery as Delivery,
  PluginOutput as OutputType,
  PluginOutputContext as OutputContext,
} from '@form-relay/plugin-host/plugin_outputs';
export type { PluginField as FieldType } from '@form-relay/plugin-host/wrapped_members';
export type { Diagnostics, Path } from '@form-relay/schema/diagnostics';
export type { LocalizedText, Parsed, Properties, Property, Schema } from '@form-relay/schema/kinds';
export type { Template } from '@form-relay/schema/template';
export type { Variables } from '@form-relay/schema/variables';
export type {
  Counts,
  DeadLetterReason,
  FailureReason,
  HeldSubmissions,
  Hold,
  Lease,
  Leases,
  Listed,
  QueueCounts,
  Queued,
  Remedies,
  SharedState,
  StateEntry,
  Store,
  StoreContext,
  StoreType,
  Versioned,
} from '@form-relay/stores/store';
export type { SendVisitorMail, VisitorMails } from '@form-relay/visitor-mails/visitor_mails';
