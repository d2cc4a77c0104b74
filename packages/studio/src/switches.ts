import type { Form } from '@form-relay/core/index';
import { faultsOf } from '@form-relay/dry-run/dry_run';

/** The switches that are on, by form and place of the output: which of its faults each output has. */
export class Switches {
  readonly #on = new Map<string, string>();

  /** The fault's name. A switch that does not fit the output that is now in its place is off. */
  of(form: Form | undefined, index: number): string | undefined {
    const output = form?.outputs[index];
    const fault = form && this.#on.get(key(form.id, index));
    return output && faultsOf(output).some(({ name }) => name === fault) ? fault : undefined;
  }

  set(formId: string, index: number, fault: string): void {
    if (fault === '') this.#on.delete(key(formId, index));
    else this.#on.set(key(formId, index), fault);
  }
}

const key = (formId: string, index: number) => `${index} ${formId}`;
