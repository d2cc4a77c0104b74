import { destinationOf } from '@form-relay/core/outputs/http';
import { type Examine, timeoutMs } from './examination.ts';
import { read } from './outputs.ts';
import { createProbes } from './probes/index.ts';

/** Whether the address can be reached that is asked while all is well. Nothing is asked: that would say that all is well. */
export const examineHeartbeat: Examine = async ({ loaded, settings }, world) => {
  const heartbeat = loaded?.shared.get('heartbeat');
  if (!heartbeat) return [];
  const probes = createProbes({ ...world, env: (name) => read(world.env, name) }, settings.mailFromAddress);
  const { protocol, address, target: name } = destinationOf(heartbeat);
  return probes.http.examine({ protocol, address, name }, timeoutMs);
};
