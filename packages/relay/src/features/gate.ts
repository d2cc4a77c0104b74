import type { Effects } from '../base/effects.ts';
import type { CheckEvidence, CheckName, ClientUnknown } from '../base/event.ts';
import type { RelayRequest } from '../base/http.ts';
import type { Address } from '../base/networks.ts';
import type { Outcome } from '../base/outcome.ts';
import type { Soon } from '../base/soon.ts';
import type { Gates } from '../form.ts';
import type { Memory } from '../memory/memory.ts';
import type { Settings } from '../schema/settings/settings.ts';

/** Who sends a request; or why nobody can know. */
export type Client = { readonly address: Address } | Omit<ClientUnknown, 'check' | 'code'>;

/** What a gate may look at: the head of a request, and nothing that was typed. */
export interface GateContext {
  readonly request: RelayRequest;
  readonly formId: string;
  readonly gates: Gates;
  readonly settings: Settings;
  readonly effects: Effects;
  readonly memory: Memory;
  readonly client: Client;
}

/** What a submission passes before its body is parsed. */
export interface Gate {
  readonly name: Extract<CheckName, 'origin' | 'rate_limit'>;
  isOn(gates: Gates): boolean;
  examine(context: GateContext): Soon<Passed>;
}

/** What a gate found. Without an `ending` the submission passes. */
export interface Passed {
  readonly evidence: CheckEvidence;
  readonly ending?: Outcome;
  /** It passes only with a proof that a person sent it. */
  readonly mustProve?: true;
  /** Takes back what it counted: the submission comes again. */
  readonly undo?: () => void;
}
