/** Everything that a plug-in is made of: what `export default (kit) => plugin` gets, and what bundled plug-ins import. */
export {
  addressOf as bareAddressOf,
  domainOf,
  hostName,
  mailboxParts,
  parseAddress,
  parseMailbox,
  parseSubmittedAddress,
} from './base/address.ts';
export { ClientError, failures, inBrackets, outputWords, stackOf } from './base/client_error.ts';
export { cleanName, distinctName, endingOf, withEnding } from './base/file_names.ts';
export { jsonNumber, jsonPointer } from './base/json_number.ts';
export { below, labelled, withColon } from './base/labelled.ts';
export { chain } from './base/maybe_promise.ts';
export * from './base/networks.ts';
export { createRates } from './base/rates.ts';
export { err, ok } from './base/result.ts';
export { isAddress, sameAddress } from './base/same_address.ts';
export { seal, sealOverhead, unseal } from './base/seal.ts';
export { base64Of, joined, jsonOf, sliced } from './base/streamed.ts';
export { throttledReport } from './base/throttled.ts';
export { isRealDay, isTimeZone, offsetOfLocal, ownTimeZone } from './base/time_zone.ts';
export { stepOf, traceOf } from './base/trace_context.ts';
export * from './base/unicode.ts';
export { isLoopback, parseUrl } from './base/url.ts';
export {
  firstValue,
  maxValueBytes,
  sizeInWords,
  withLineFeeds,
  withoutEmpty,
} from './base/values.ts';
export { homepage, version } from './base/version.ts';
export { weaknessOf } from './base/weak_secret.ts';
export { withTimeout } from './base/with_timeout.ts';
export { checkDecider } from './config/form_fields.ts';
export { readYaml } from './config/siblings.ts';
export { readTextFile } from './config/text_file.ts';
export { noTokenSecret, readToken } from './features/form_token.ts';
export { filledInMs, mayBeTooFast } from './features/min_fill.ts';
export * from './fields/amounts.ts';
export * from './fields/choices.ts';
export { makeField, nestedField } from './fields/compile.ts';
export { condition, visibleFields } from './fields/condition.ts';
export { alone, fieldType } from './fields/field.ts';
export { fromJson } from './fields/json.ts';
export { errorWords, labelIn, labelOf, labelParam, labelText, unlabelledError } from './fields/label.ts';
export { checkLength, controlAttributes, input } from './fields/text.ts';
export { apiPath, fieldElementId, partId, withOwn } from './html/element_ids.ts';
export { heading, renderForm } from './html/form_view.ts';
export * from './html/fragments.ts';
export * from './html/html.ts';
export { createThrottle, targetOf as routeTarget } from './http/admission.ts';
export { confirmationOf, describe } from './http/answers.ts';
export { clientNames, clientOf, readClient } from './http/client.ts';
export { asksByHtmx } from './http/negotiation.ts';
export { maxBodyBytes } from './http/request.ts';
export { addTo, parseQuery, parseUrlencoded } from './http/urlencoded.ts';
export { outcomeInLog } from './log.ts';
export { en, englishFormat, textParam, voiceOf, wholeUnits } from './messages/message.ts';
export { momentWords } from './messages/moment_words.ts';
export { planPayload } from './outputs/delivery.ts';
export * from './outputs/http.ts';
export { mailOutputs, oneLine } from './outputs/mail.ts';
export { compileOutput, outputType, withRemark } from './outputs/output.ts';
export * from './outputs/recipients.ts';
export * from './outputs/request.ts';
export { bodyOf, readBody, urlencoded } from './pipeline/compose.ts';
export { restoreSubmission } from './pipeline/context.ts';
export { deliverTo } from './pipeline/deliver.ts';
export { withRetries } from './pipeline/retries.ts';
export { invalid, validate } from './pipeline/validate.ts';
export { feature, fieldExtension, guard, onOutcome, outputExtension } from './plugin.ts';
export { Diagnostics, shown } from './schema/diagnostics.ts';
export { timeInWords } from './schema/duration.ts';
export * from './schema/kinds.ts';
export { rate } from './schema/rate.ts';
export { didYouMean, nearest } from './schema/suggestion.ts';
export { parseTemplate } from './schema/template/parse.ts';
export { Template } from './schema/template.ts';
export { pageAt, plainText, templateContext } from './schema/template_context.ts';
export {
  flag,
  port,
  readVariables,
  secretNamed,
  textsIn,
  variable,
  whole,
} from './schema/variables.ts';
export { delivered, dropped, hasAskedOthers, isFinal, refused, undelivered } from './submission.ts';
