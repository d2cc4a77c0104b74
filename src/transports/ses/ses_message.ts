import type { SesMessage as SesClientMessage } from '../../effects.ts';
import type { Template } from '../../template/render.ts';
import type { AnyMessage, AnyTarget } from '../transport.ts';

/** One mail through Amazon SES, from MAIL_FROM_ADDRESS. */
export interface SesMessage extends AnyMessage, Omit<SesClientMessage, 'from' | 'timeoutMs'> {
  readonly via: 'ses';
}

export interface SesTarget extends AnyTarget {
  readonly via: 'ses';
  readonly to: readonly Template[];
}

export const sesTarget = (to: readonly Template[]): SesTarget => ({ via: 'ses', name: 'Amazon SES', to });
