import { DurableObject } from 'cloudflare:workers';
import type { Versioned } from '../../base/counts.ts';
import type { CountedOrNot, CountsStub } from '../../counting/stores/durable_object.ts';

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

  /** As `memory/rates.ts` counts, but durably: a Durable Object may be stopped between two requests. */
  async take({ most, withinMs }: { most: number; withinMs: number }): Promise<CountedOrNot> {
    const { storage } = this.ctx;
    const at = Date.now();
    const moments = (await this.#moments()).filter((moment) => moment > at - withinMs && moment <= at);
    const [oldest] = moments.slice(-most);
    if (oldest !== undefined && moments.length >= most) return { waitMs: oldest + withinMs - at };
    await storage.put('moments', [...moments, at]);
    await storage.setAlarm(at + withinMs);
    return { at };
  }

  async giveBack(at: number): Promise<void> {
    const moments = await this.#moments();
    const place = moments.lastIndexOf(at);
    if (place >= 0) await this.ctx.storage.put('moments', moments.toSpliced(place, 1));
  }

  /** Nothing recent is left of this client. */
  async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }

  async #moments(): Promise<readonly number[]> {
    return (await this.ctx.storage.get<number[]>('moments')) ?? [];
  }
}
