/** Faults of sinks: see ways.yaml. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readYaml } from '../../scripts/data.ts';

export interface Way {
  readonly name: string;
  readonly weight: number;
  readonly at?: string;
  readonly takes?: boolean;
  readonly waits?: number;
  readonly writes?: string;
  readonly fills?: number;
  readonly trickles?: number;
  readonly ends?: 'closed' | 'destroyed' | 'reset' | 'unread';
}

type List = 'http connections' | 'http requests' | 'smtp connections' | 'mails';
export const ways = readYaml<Readonly<Record<List, readonly Way[]>>>(new URL('ways.yaml', import.meta.url));

const endings: Readonly<Record<NonNullable<Way['ends']>, (socket: Socket) => unknown>> = {
  closed: (socket) => socket.end(),
  destroyed: (socket) => socket.destroy(),
  reset: (socket) => socket.resetAndDestroy(),
  // A socket that is not read does not notice when the other side disconnects.
  unread: (socket) => {
    socket.pause();
    setTimeout(() => socket.destroy(), 5_000);
  },
};

/** @param take Called before the last byte of a success is written. */
export async function go(way: Way, socket: Socket, take = () => {}): Promise<void> {
  const { takes, waits = 0, writes = '', fills = 0, trickles = 0, ends } = way;
  let text = writes + 'x'.repeat(fills);
  if (waits > 0) await sleep(waits);
  for (; trickles > 0 && text.length > 1; text = text.slice(1)) {
    if (!socket.writable) return;
    socket.write(text.slice(0, 1));
    await sleep(trickles);
  }
  if (!socket.writable) return;
  if (takes) take();
  if (text !== '') socket.write(text);
  if (ends) endings[ends](socket);
}
