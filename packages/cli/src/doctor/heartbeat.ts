import { createProbes, httpTarget } from '@form-relay/relay/transports';
import { type Examine, timeoutMs } from './examination.ts';
import { read } from './outputs.ts';

/** Whether the address can be reached that is asked while all is well. Nothing is asked: that would say that all is well. */
export const examineHeartbeat: Examine = async ({ loaded, settings }, world) => {
  if (!loaded?.heartbeat) return [];
  const probes = createProbes({ ...world, env: (name) => read(world.env, name) }, settings.mailFromAddress);
  return probes.http.examine(httpTarget({ env: loaded.heartbeat.url_env }), timeoutMs);
};
