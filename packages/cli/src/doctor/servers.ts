import type { Diagnosis } from '@form-relay/relay/diagnosis';
import { createProbes, type Probe, type Target } from '@form-relay/relay/transports';
import { type Examine, timeoutMs } from './examination.ts';
import { groupBy, outputsThrough, places, read } from './outputs.ts';

/** Whether the servers that outputs deliver to would take it: each transport looks at its own, each server once. */
export const examineServers =
  (via: Target['via']): Examine =>
  async ({ forms, settings: { mailFromAddress } }, world) => {
    const probes = createProbes({ ...world, env: (name) => read(world.env, name) }, mailFromAddress);
    const probe = probes[via] as Probe<Target>;
    const servers = groupBy(outputsThrough(forms, via), ({ target }) => probe.serverOf(target));
    const looks = servers.map(async (outputs) =>
      (await probe.examine(outputs[0].target, timeoutMs)).map((diagnosis) =>
        placed(diagnosis, places(outputs)),
      ),
    );
    return (await Promise.all(looks)).flat();
  };

/** A failure says which outputs suffer. */
const placed = (diagnosis: Diagnosis, places: string): Diagnosis =>
  diagnosis.verdict === 'failure' ? { ...diagnosis, says: `${diagnosis.says} (${places})` } : diagnosis;
