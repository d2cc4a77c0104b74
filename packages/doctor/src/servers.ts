import { ClientError } from '@form-relay/base/client_error';
import { Try } from '@form-relay/base/retries';
import { type Diagnosis, failure, ok } from '@form-relay/mail-dns';
import { type Examine, timeoutMs } from './examination.ts';
import { groupBy, outputsOf, outputsThrough, places, read } from './outputs.ts';
import { createProbes } from './probes/index.ts';
import type { Probe } from './probes/probe.ts';
import type { Target } from './target.ts';

/** Whether the servers that outputs deliver to would take it: each server once. */
export const examineServers =
  (protocol: Target['protocol']): Examine =>
  async (setup, context) => {
    const { mailFromAddress } = setup.settings;
    const probes = createProbes({ ...context, env: (name) => read(context.env, name) }, mailFromAddress);
    const probe = probes[protocol] as Probe<Target>;
    const servers = groupBy(outputsThrough(setup, protocol), ({ target }) => probe.serverOf(target));
    const looks = servers.map(async (outputs) =>
      (await probe.examine(outputs[0].target, timeoutMs)).map((diagnosis) =>
        placed(diagnosis, places(outputs)),
      ),
    );
    return (await Promise.all(looks)).flat();
  };

/** Outputs of plug-ins that test their connections themselves. */
export const examineOthers: Examine = async (setup) => {
  const able = outputsOf(setup).flatMap(({ output, place }) =>
    output?.transport?.probe ? [{ output, transport: output.transport, place }] : [],
  );
  const servers = groupBy(able, ({ output: { type }, transport: { target = '' } }) => `${type}\0${target}`);
  return Promise.all(
    servers.map(async (outputs): Promise<Diagnosis> => {
      const [{ output, transport }] = outputs;
      const subject = transport.target ?? output.type;
      const call = new Try(timeoutMs);
      try {
        return ok(subject, (await transport.probe?.(call)) ?? '');
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        const remedy = `See the documentation of the output type ${output.type}.`;
        return placed(failure(subject, error.message, remedy), places(outputs));
      } finally {
        call.end();
      }
    }),
  );
};

/** A failure says which outputs suffer. */
const placed = (diagnosis: Diagnosis, places: string): Diagnosis =>
  diagnosis.verdict === 'failure' ? { ...diagnosis, says: `${diagnosis.says} (${places})` } : diagnosis;
