/** Everything that a plug-in is made of: what `export default (kit) => plugin` gets, and what bundled plug-ins import. */
export {
  addressOf as bareAddressOf,
  domainOf,
  hostName,
  parseAddress,
  parseMailbox,
  parseRecipient,
  parseSender,
  parseSubmittedAddress,
} from '@form-relay/base/address';
export { canonicalText } from '@form-relay/base/canonical';
export { ClientError, failures, inBrackets, outputWords, stackOf } from '@form-relay/base/client_error';
export { decidersOf } from '@form-relay/base/condition';
export { asciiDigits, asciiNumber, digitsIn } from '@form-relay/base/digits';
export { cleanName, distinctName, endingOf, withEnding } from '@form-relay/base/file_names';
export { jsonNumber, jsonPointer } from '@form-relay/base/json_number';
export { below, labelled, withColon } from '@form-relay/base/labelled';
export { chain } from '@form-relay/base/maybe_promise';
export { isRealDay, readMoment, readTime, writeMoment, writeTime } from '@form-relay/base/moments';
export * from '@form-relay/base/networks';
export { createRates } from '@form-relay/base/rates';
export { err, ok } from '@form-relay/base/result';
export { sameAddress } from '@form-relay/base/same_address';
export { seal, unseal } from '@form-relay/base/seal';
export { base64Of, jsonOf } from '@form-relay/base/streamed';
export { readTextFile } from '@form-relay/base/text_file';
export { throttledReport } from '@form-relay/base/throttled';
export { isTimeZone, offsetOfLocal, ownTimeZone } from '@form-relay/base/time_zone';
export { stepOf, traceOf } from '@form-relay/base/trace_context';
export { createTurns } from '@form-relay/base/turns';
export * from '@form-relay/base/unicode';
export { isLoopback, parseUrl } from '@form-relay/base/url';
export {
  firstValue,
  maxValueBytes,
  sizeInWords,
  withLineFeeds,
  withoutEmpty,
} from '@form-relay/base/values';
export { homepage, version } from '@form-relay/base/version';
export { weaknessOf } from '@form-relay/base/weak_secret';
export { withTimeout } from '@form-relay/base/with_timeout';
export { condition, holdsFor, visibleFields } from '@form-relay/schema/condition';
export { checkCondition } from '@form-relay/schema/condition_check';
export { Diagnostics, either, shown } from '@form-relay/schema/diagnostics';
export { timeInWords } from '@form-relay/schema/duration';
export * from '@form-relay/schema/kinds';
export { rate } from '@form-relay/schema/rate';
export { didYouMean, nearest } from '@form-relay/schema/suggestion';
export { Template } from '@form-relay/schema/template';
export { ownSecret, textsIn, variable, whole } from '@form-relay/schema/variables';
export { noTokenSecret, readToken } from './features/form_token.ts';
export { filledInMs, mayBeTooFast } from './features/min_fill.ts';
export * from './fields/amounts.ts';
export * from './fields/choices.ts';
export { makeField, nestedField } from './fields/compile.ts';
export { alone, fieldType, normalized } from './fields/field.ts';
export { fromJson } from './fields/json.ts';
export { errorWords, labelIn, labelOf, labelParam, labelText, unlabelledError } from './fields/label.ts';
export { checkLength, controlAttributes, input } from './fields/text.ts';
export { apiPath, fieldElementId, partId, withOwn } from './html/element_ids.ts';
export { sentByInputs } from './html/field_view.ts';
export { heading, renderForm } from './html/form_view.ts';
export * from './html/fragments.ts';
export * from './html/html.ts';
export { targetOf as routeTarget } from './http/admission.ts';
export { confirmationOf, describe } from './http/answers.ts';
export { clientNames, clientOf, readClient } from './http/client.ts';
export { publicAddress } from './http/mount.ts';
export { asksByHtmx } from './http/negotiation.ts';
export { maxBodyBytes } from './http/request.ts';
export { addTo, parseQuery } from './http/urlencoded.ts';
export { en, englishFormat, firstWording, textParam, voiceOf, wholeUnits } from './messages/message.ts';
export { momentWords } from './messages/moment_words.ts';
export { planPayload } from './outputs/delivery.ts';
export * from './outputs/http.ts';
export { mailOutputs, oneLine } from './outputs/mail.ts';
export { outputType, withRemark } from './outputs/output.ts';
export * from './outputs/recipients.ts';
export * from './outputs/request.ts';
export { pageAt, plainText, templateContext } from './outputs/template_context.ts';
export { bodyOf, readBody, urlencoded } from './pipeline/compose.ts';
export { restoreSubmission } from './pipeline/context.ts';
export { deliverTo } from './pipeline/deliver.ts';
export { withRetries } from './pipeline/retries.ts';
export { invalid, validate } from './pipeline/validate.ts';
export { apiVersion, feature, fieldExtension, guard, onOutcome, outputExtension } from './plugin.ts';
export {
  delivered,
  dropped,
  hasAskedOthers,
  isFinal,
  outcomeInLog,
  refused,
  undelivered,
} from './submission.ts';
