import { DurableObject } from 'cloudflare:workers';
import { type RateLimit, recentOf, waitOf, without } from '@form-relay/base/rates';
import type { Versioned } from '@form-relay/capacity/counters/store';
import type { CountedOrNot, CountsStub } from '@form-relay/capacity/counters/stores/durable_object';

/**
 * A Durable Object that counts under one key: places and `once`, or how often a client came. Nothing else runs in it between a
 * read of its storage and the write after it, and no answer leaves before the write is durable.
 */
export class Counts extends DurableObject implements CountsStub {
  async read(): Promise<Versioned> {
    return (await this.ctx.storage.get<Versioned>('tally')) ?? { text: undefined, version: '' };
  }

  async write(text: string, version: string): Promise<boolean> {
    if ((await this.read()).version !== version) return false;
    await this.ctx.storage.put('tally', { text, version: String(Number(version) + 1) } satisfies Versioned);
    return true;
  }

  async remove(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }

  /** As `createRates` counts, but durably: a Durable Object may be stopped between two requests. */
  async take(limit: RateLimit): Promise<CountedOrNot> {
    const { storage } = this.ctx;
    const at = Date.now();
    const recent = recentOf(await this.#moments(), at, limit);
    const waitMs = waitOf(recent, at, limit);
    if (waitMs !== undefined) return { waitMs };
    await storage.put('moments', [...recent, at]);
    await storage.setAlarm(at + limit.withinMs);
    return { at };
  }

  async giveBack(at: number): Promise<void> {
    const moments = await this.#moments();
    if (moments.includes(at)) await this.ctx.storage.put('moments', without(moments, at));
  }

  /** Nothing recent is left of this client. */
  async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }

  async #moments(): Promise<readonly number[]> {
    return (await this.ctx.storage.get<number[]>('moments')) ?? [];
  }
}
