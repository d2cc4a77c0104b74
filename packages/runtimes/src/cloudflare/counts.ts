import { DurableObject } from 'cloudflare:workers';
import type { CountsStub } from '@form-relay/stores/cloudflare/durable_object';
import type { Versioned } from '@form-relay/stores/store';

/**
 * A Durable Object that counts under one key: places and `once`. Nothing else runs in it between a
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
}
