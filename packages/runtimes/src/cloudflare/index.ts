/** Form Relay on Cloudflare Workers (docs/deploy/cloudflare.md). */

import { DurableObject } from 'cloudflare:workers';
import type { CountsStub } from '@form-relay/stores/cloudflare/durable_object';
import type { Versioned } from '@form-relay/stores/store';

export * from './worker.ts';

/**
 * A Durable Object that keeps the counters of one key, for `places` and `once`. The object runs no other
 * event between a storage read and the write that follows, and sends no response before the write is durable.
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
}
