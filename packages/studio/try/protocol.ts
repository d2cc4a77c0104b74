/** Messages between the page, its worker and its frames. */
import type { RelayRequest, RelayResponse } from '@form-relay/relay/base';
import type { StudioEvent } from '../src/events.ts';

export type Asked = Pick<RelayRequest, 'method' | 'path' | 'query' | 'headers' | 'body'>;
export type Answered = Pick<RelayResponse, 'status' | 'headers' | 'body'>;

/** A part of the program that the worker runs: what it needs of other parts, and its code, a function (parts.ts). */
export interface Part {
  readonly name: string;
  readonly needs: readonly string[];
  readonly code: string;
}

export type ToWorker =
  /** Comes first. `isStopped`: reading this text took too long before. */
  | { readonly kind: 'start'; readonly text: string; readonly isStopped: boolean }
  | { readonly kind: 'ask'; readonly id: number; readonly request: Asked }
  | { readonly kind: 'part'; readonly name: string; readonly part: Part | undefined }
  /** Whether it still runs. */
  | { readonly kind: 'ping' };

export type FromWorker =
  | { readonly kind: 'ready' | 'pong' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answered }
  | { readonly kind: 'event'; readonly event: StudioEvent }
  | { readonly kind: 'part'; readonly name: string };

export type ToFrame =
  /** Shows this page. `policy`: what it may do, beside what no frame may. */
  | { readonly kind: 'show'; readonly markup: string; readonly policy: string }
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly given: readonly unknown[] }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answered | undefined };

export type FromFrame =
  | { readonly kind: 'shown' }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'ask'; readonly id: number; readonly request: Asked }
  /** A page is wanted in place of this one. */
  | { readonly kind: 'navigate'; readonly request: Asked }
  | { readonly kind: 'link'; readonly href: string }
  | { readonly kind: 'height'; readonly height: number }
  | { readonly kind: 'key'; readonly key: string };
