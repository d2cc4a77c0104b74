import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';

/** The memory of a worker under load, and of the primary (docs/workers.md). */
const workerBytes = 128 * 2 ** 20;
const primaryBytes = 64 * 2 ** 20;

/** Facts about the machine. */
export interface Machine {
  /** The text of a file; `undefined` if it is missing. */
  readonly read: (path: string) => string | undefined;
  /** Cores that the process may run on. */
  readonly cores: number;
  readonly memoryBytes: number;
  readonly platform: NodeJS.Platform;
}

const thisMachine = (): Machine => ({
  read: (path) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
  cores: availableParallelism(),
  memoryBytes: totalmem(),
  platform: process.platform,
});

/**
 * `WORKERS=auto`: how many workers have a core and enough memory, by the limits of the process's control groups; at least one.
 * If Linux shows no control groups, as in some sandboxes, a limit would be invisible, so the answer is one.
 */
export function autoWorkers(machine: Machine = thisMachine()): number {
  if (machine.platform === 'linux' && !showsGroups(machine)) return 1;
  const groups = groupsOf(machine);
  const cpus = Math.min(machine.cores, ...groups.map(({ cpus }) => cpus));
  const memory = Math.min(machine.memoryBytes, ...groups.map(({ memory }) => memory));
  return Math.max(1, Math.min(Math.floor(cpus), Math.floor((memory - primaryBytes) / workerBytes)));
}

const root = '/sys/fs/cgroup';

/** Version 2 has this file in each group, version 1 a folder for each hierarchy. */
const showsGroups = ({ read }: Machine): boolean =>
  ['cgroup.controllers', 'memory/memory.limit_in_bytes'].some((file) => read(join(root, file)) !== undefined);

/** The limits of each group, from the root to the process's own; in a container, the root is the container's. */
function groupsOf({ read }: Machine): readonly { readonly cpus: number; readonly memory: number }[] {
  const own = read('/proc/self/cgroup') ?? '';
  /** The folders of the process's group and its parents. `hierarchy`: one of version 1, such as `cpu`. */
  const folders = (hierarchy?: string) => {
    const line = own.split('\n').find((one) => {
      const [number, names = ''] = one.split(':');
      return hierarchy === undefined ? number === '0' && names === '' : names.split(',').includes(hierarchy);
    });
    const steps = (line?.split(':').slice(2).join(':') ?? '')
      .split('/')
      .filter((step) => step !== '' && step !== '..');
    const top = hierarchy === undefined ? root : join(root, hierarchy);
    return [...steps.keys(), steps.length].map((length) => join(top, ...steps.slice(0, length)));
  };
  const number = (path: string) => {
    const text = read(path)?.trim();
    return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
  };
  return [
    ...folders().map((folder) => ({
      // `max 100000` means no limit.
      cpus: quotient(
        ...((read(join(folder, 'cpu.max')) ?? '').trim().split(' ').map(Number) as [number, number]),
      ),
      memory: number(join(folder, 'memory.max')) ?? Infinity,
    })),
    ...folders('cpu').map((folder) => ({
      // -1 means no limit.
      cpus: quotient(number(join(folder, 'cpu.cfs_quota_us')), number(join(folder, 'cpu.cfs_period_us'))),
      memory: Infinity,
    })),
    ...folders('memory').map((folder) => ({
      cpus: Infinity,
      memory: number(join(folder, 'memory.limit_in_bytes')) ?? Infinity,
    })),
  ];
}

const quotient = (quota = Number.NaN, period = Number.NaN) => {
  const cpus = quota / period;
  return quota > 0 && cpus > 0 ? cpus : Infinity;
};
