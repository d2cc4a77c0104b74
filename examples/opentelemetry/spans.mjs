// Converts the processing of each submission into OpenTelemetry spans. The relay itself does not depend on OpenTelemetry.
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { tracingHeaders } from 'form-relay';

/** Gives spans the ids that the relay has sent to the services in `traceparent`. */
export class RelayIds {
  next = { traceId: '', spanId: '' };
  generateTraceId = () => this.next.traceId;
  generateSpanId = () => this.next.spanId;
}

/**
 * An observer for `createRelay({ observe })`.
 *
 * @param {import('@opentelemetry/api').Tracer} tracer A tracer of a provider whose `idGenerator` is `ids`.
 * @param {RelayIds} ids
 * @returns {import('form-relay').Observer}
 */
export const spans =
  (tracer, ids) =>
  ({ requestId, formId, outcome, answer, ms, submission }) => {
    if (!submission) return;
    const { tracing, receivedAt, deliveries } = submission;
    const form = { 'form_relay.form': formId ?? '' };
    const endedAt = receivedAt + ms;

    const start = (name, spanId, parentId, options) => {
      const { traceId, isSampled } = tracing;
      const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
      const parent = parentId && { traceId, spanId: parentId, traceFlags, isRemote: true };
      ids.next = { traceId, spanId };
      const around = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      return tracer.startSpan(name, { ...options, startTime: receivedAt }, around);
    };

    const whole = start('submission', tracing.spanId, tracing.parentId, {
      kind: SpanKind.SERVER,
      attributes: {
        ...form,
        'form_relay.request_id': requestId,
        'form_relay.outcome': outcome.kind,
        'http.response.status_code': answer.status,
      },
    });
    for (const one of deliveries) {
      if (!one) continue;
      const [, , spanId] = tracingHeaders(tracing, one.output).traceparent.split('-');
      const attributes = {
        ...form,
        'form_relay.output': one.output,
        'form_relay.type': one.type,
        'form_relay.tries': one.tries,
      };
      const delivery = start('delivery', spanId, tracing.spanId, { kind: SpanKind.CLIENT, attributes });
      // The reason may quote a service's response, but its code does not.
      const code = typeof one.error === 'string' ? one.error : one.error?.code;
      if (code) delivery.setStatus({ code: SpanStatusCode.ERROR, message: code });
      delivery.end(endedAt);
    }
    if (answer.status >= 500) whole.setStatus({ code: SpanStatusCode.ERROR });
    whole.end(endedAt);
  };
