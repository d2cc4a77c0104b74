/** Tests forms when they are due, and alerts their owner. */
import { createHash } from 'node:crypto';
import { ClientError, stackOf } from '@form-relay/base/client_error';
import type { Form, Life, Plugin } from '@form-relay/core/index';
import { AlertSender } from '@form-relay/queue/alert_sender';
import type { Alerts } from '@form-relay/queue/alerts';
import { type Chain, faultsIn, type Link, proveForm } from './chain.ts';
import type { Canary } from './index.ts';
import { changeProof, concluded, type Proof, type Result } from './proof.ts';

const second = 1_000;
/** The limit of simultaneous tests in one process. */
const mostAtOnce = 8;
const pingMs = 10_000;

interface Known {
  readonly proof: Proof;
  readonly tookMs?: number;
  /** Whether only this process knows the result. */
  readonly isOwn: boolean;
}

export class Canaries {
  /** The last result of each form, as far as this process knows. */
  readonly #proofs = new Map<string, Known>();
  readonly #underWay = new Set<string>();
  #alerts: AlertSender | undefined;
  #life: Life | undefined;
  #forms: readonly Form[] = [];

  follow(life: Life, forms: readonly Form[]): void {
    const { services, settings, hold, signal } = life;
    const startsAt = services.now();
    const early = services.random();
    this.#alerts ??= new AlertSender(services, settings, hold);
    this.#life = life;
    this.#forms = forms;
    for (const id of this.#proofs.keys()) if (!forms.some((form) => form.id === id)) this.#proofs.delete(id);
    const stop = services.repeat(second, () => {
      this.#alerts?.retry();
      const now = services.now();
      for (const form of forms) {
        const canary = form.provided.get('canary') as Canary;
        // Spreads the tests of processes that start at the same time.
        const isAwake = now >= startsAt + early * Math.min(30 * second, canary.everyMs / 10);
        const slot = slotOf(form.id, canary, now);
        const last = this.#proofs.get(form.id)?.proof.slot ?? -Infinity;
        const isDue = last < slot || last > now + canary.everyMs;
        if (!isAwake || !isDue || this.#underWay.has(form.id) || this.#underWay.size >= mostAtOnce) continue;
        this.#underWay.add(form.id);
        life.wait(
          hold(() => this.#test(form, canary, slot, life)).finally(() => this.#underWay.delete(form.id)),
        );
      }
    });
    signal.addEventListener('abort', () => {
      stop();
      if (this.#life !== life) return;
      this.#forms = [];
      life.wait(this.#alerts?.close() ?? Promise.resolve());
    });
  }

  async #test(form: Form, canary: Canary, slot: number, life: Life): Promise<void> {
    const { services, settings, forms, shared } = life;
    const { id, provided } = form;
    const by = services.uuid();
    const startedAt = services.now();
    const own = this.#proofs.get(id);
    const claimed: Proof = { months: {}, ...own?.proof, slot, by };
    try {
      let broken: string | undefined;
      const proof = await changeProof(form, services, (before) => {
        const isTaken = before && before.slot >= slot && before.slot <= startedAt + canary.everyMs;
        return isTaken ? before : { ...claimed, ...before, slot, by };
      }).catch((error: unknown) => {
        broken = wordsOf(error);
        return undefined;
      });
      const before = proof ?? claimed;
      const isOwn = proof === undefined;
      this.#proofs.set(id, { ...own, proof: before, isOwn });
      if (proof && proof.by !== by) return;
      const closed = provided.get('schedule')?.(startedAt);
      const chain: Chain = { settings, formIds: [...forms.keys()] };
      const links = closed ? [] : await proveForm(form, canary, chain);
      const result = resultOf(links, closed?.why, broken);
      const tookMs = services.now() - startedAt;
      const said = { form: id, ...(result.reason && { reason: result.reason }), ms: tookMs };
      if (result.kind === 'failed') services.log('error', 'canary_failed', said);
      else if (result.kind === 'paused') services.log('info', 'canary_paused', said);
      else services.log('info', 'canary_passed', said);
      if (closed) return await ping(canary, form, life);
      // The store was unavailable when this failure was alerted.
      const failing = before.failing ?? (own?.isOwn ? own.proof.failing : undefined);
      const { proof: after, change } = concluded({ ...before, failing }, result, startedAt);
      this.#proofs.set(id, { proof: after, tookMs, isOwn });
      const alerts: Alerts | undefined = shared.get('alerts');
      if (change && alerts) this.#alerts?.canary(change, id, result.reason, alerts);
      if (result.kind !== 'failed') await ping(canary, form, life);
      if (proof) await changeProof(form, services, (now) => (now?.by === by ? after : now));
    } catch (error) {
      if (error instanceof ClientError)
        services.log('error', 'canary_failed', { form: id, reason: error.message });
      else services.log('error', 'internal_error', { form: id, stack: stackOf(error) });
    }
  }

  readings(): ReturnType<NonNullable<Plugin['gauges']>> {
    const known = this.#forms.flatMap(({ id }) => {
      const one = this.#proofs.get(id);
      return one ? [[id, one] as const] : [];
    });
    return {
      form_relay_canary_failing: known.map(([id, { proof }]) => [[id], proof.failing ? 1 : 0]),
      form_relay_canary_last_success_timestamp_seconds: known.flatMap(
        ([
          id,
          {
            proof: { passedAt },
          },
        ]) => (passedAt === undefined ? [] : [[[id], passedAt / second] as const]),
      ),
      form_relay_canary_duration_seconds: known.flatMap(([id, { tookMs }]) =>
        tookMs === undefined ? [] : [[[id], tookMs / second] as const],
      ),
    };
  }
}

/** The start of the current interval: the same in all processes, but different for each form. */
function slotOf(id: string, { everyMs }: Canary, now: number): number {
  const offset = createHash('sha256').update(id).digest().readUInt32BE(0) % everyMs;
  return Math.floor((now - offset) / everyMs) * everyMs + offset;
}

export function resultOf(links: readonly Link[], closed?: string, broken?: string): Result {
  if (closed !== undefined) return { kind: 'paused', reason: closed };
  const faults = [...(broken === undefined ? [] : [`the counter store: ${broken}`]), ...faultsIn(links)];
  if (faults.length > 0) return { kind: 'failed', reason: faults.join('\n') };
  const paused = links.filter(({ result }) => result === 'paused');
  const reason = paused.map(({ link, target, says }) => `${link} ${target}: ${says}`).join('\n');
  return { kind: paused.length > 0 ? 'paused' : 'passed', reason };
}

const wordsOf = (error: unknown) => (error instanceof ClientError ? error.message : 'internal error');

/** Without this request, an uptime service raises an alarm, since the relay must be down. */
export async function ping(
  { ping: url }: Canary,
  { id, services }: Form,
  { services: { log } }: Pick<Life, 'services'>,
) {
  if (!url) return;
  try {
    const { status } = await services.http({ method: 'GET', url, headers: {}, body: '', timeoutMs: pingMs });
    if (status >= 400)
      log('warn', 'canary_ping_failed', { form: id, reason: `the server answered ${status}` });
  } catch (error) {
    log('warn', 'canary_ping_failed', { form: id, reason: wordsOf(error) });
  }
}
