import { captcha } from './captcha_check.ts';
import type { Check } from './check.ts';
import { honeypot } from './honeypot.ts';
import { minFill } from './min_fill.ts';
import { validation } from './validation.ts';

/** Loaded with the first submission that needs it. Those that follow wait for nothing. */
function late<M>(load: () => Promise<M>, examineOf: (module: M) => Check['examine']): Check['examine'] {
  let examine: Check['examine'] | undefined;
  return (...all) => {
    if (examine) return examine(...all);
    return load().then((module) => {
      examine = examineOf(module);
      return examine(...all);
    });
  };
}

/** Most forms have no files. */
const scan: Check = {
  name: 'scan',
  key: 'scan',
  isOn: ({ scan }) => scan !== undefined,
  examine: late(
    () => import('./scan.ts'),
    ({ scan }) => scan,
  ),
};

const proof: Check = {
  name: 'proof',
  key: 'spam.proof_of_work',
  isOn: ({ proof }) => proof !== undefined,
  examine: late(
    () => import('./proof/proof.ts'),
    ({ proof }) => proof,
  ),
};

const doubt: Check = {
  name: 'doubt',
  key: 'spam.doubt',
  isOn: ({ doubt }) => doubt !== undefined,
  examine: late(
    () => import('./doubt/doubt.ts'),
    ({ doubt }) => doubt,
  ),
};

/** Every check, in the order of SPEC: What the service does; what came later stands before validation (D72). */
export const checks: readonly Check[] = [honeypot, minFill, captcha, proof, doubt, validation, scan];
