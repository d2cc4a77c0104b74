// Turns what happens to each submission into OpenTelemetry spans. The relay itself does not depend on OpenTelemetry.
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';

/** Names spans as the relay has told the services that it delivers to, in `traceparent`. */
export class RelayIds {
  next = { traceId: '', spanId: '' };
  generateTraceId = () => this.next.traceId;
  generateSpanId = () => this.next.spanId;
}

/**
 * For `createRelay({ observe })`.
 *
 * @param {import('@opentelemetry/api').Tracer} tracer Of a provider whose `idGenerator` is `ids`.
 * @param {RelayIds} ids
 * @returns {import('form-relay').Observer}
 */
export const spans = (tracer, ids) => (submission) => {
  /** The spans of deliveries, by the output's place. */
  const deliveries = new Map();
  const form = { 'form_relay.form': submission.formId ?? '' };

  const start = (name, { traceId, spanId, parentId, isSampled }, options) => {
    const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
    const parent = parentId && { traceId, spanId: parentId, traceFlags, isRemote: true };
    ids.next = { traceId, spanId };
    return tracer.startSpan(
      name,
      options,
      parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT,
    );
  };
  const whole = start('submission', submission.trace, {
    kind: SpanKind.SERVER,
    startTime: submission.receivedAt,
    attributes: { ...form, 'form_relay.request_id': submission.requestId },
  });

  return (event) => {
    switch (event.kind) {
      case 'checked':
        // What a check found may be a visitor's own words: its name and code are not.
        whole.addEvent('checked', { check: event.evidence.check, code: event.evidence.code });
        break;
      case 'delivery_tried': {
        const attributes = { ...form, 'form_relay.output': event.output, 'form_relay.type': event.type };
        if (event.attempt === 1)
          deliveries.set(event.output, start('delivery', event.trace, { kind: SpanKind.CLIENT, attributes }));
        else deliveries.get(event.output)?.addEvent('tried again', { attempt: event.attempt });
        break;
      }
      case 'delivered':
        deliveries.get(event.output)?.end();
        break;
      case 'delivery_failed': {
        const code = typeof event.error === 'string' ? event.error : event.error.code;
        deliveries.get(event.output)?.setStatus({ code: SpanStatusCode.ERROR, message: code }).end();
        break;
      }
      case 'answered':
        whole.setAttribute('form_relay.outcome', event.outcome.kind);
        whole.setAttribute('http.response.status_code', event.answer.status);
        if (event.answer.status >= 500) whole.setStatus({ code: SpanStatusCode.ERROR });
        whole.end();
        break;
      case 'kept_tried':
        // A turn of what was kept: it was answered long ago.
        whole.setAttribute('form_relay.outcome', event.ending.kind);
        whole.end();
        break;
    }
  };
};
