import type { Form, FormOutput } from '../../form.ts';
import { type Fault, faults } from '../dry_run/capture.ts';

/** What the switch beside an output says. */
export const faultNames: Readonly<Record<Fault, string>> = {
  refused: 'refuses the connection',
  status_500: 'answers 500',
  slow: 'does not answer in time',
  bounced: 'bounces the mail',
};

/** In which ways this output can be made to fail; none for a type that nobody knows. */
export const faultsOf = ({ channel }: FormOutput): readonly Fault[] => {
  if (!channel) return [];
  return channel.kind === 'http' ? faults.http : faults.mail;
};

/** The switches that are on, by form and place of the output. */
export class Switches {
  readonly #on = new Map<string, Fault>();

  /** A switch that does not fit the output that is now in its place is off. */
  of(form: Form | undefined, index: number): Fault | undefined {
    const output = form?.outputs[index];
    const fault = form && this.#on.get(key(form.id, index));
    return output && fault && faultsOf(output).includes(fault) ? fault : undefined;
  }

  set(formId: string, index: number, fault: string): void {
    if (Object.hasOwn(faultNames, fault)) this.#on.set(key(formId, index), fault as Fault);
    else this.#on.delete(key(formId, index));
  }
}

const key = (formId: string, index: number) => `${index} ${formId}`;
