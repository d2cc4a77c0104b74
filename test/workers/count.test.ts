/** `WORKERS=auto`: as many processes as there is room for. */
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { autoWorkers } from '../../packages/relay/src/runtimes/workers/auto_workers.ts';

const gigabyte = 2 ** 30;

interface Machine {
  readonly cores?: number;
  readonly memoryBytes?: number;
  readonly files?: Readonly<Record<string, string>>;
  readonly platform?: NodeJS.Platform;
}

/** Version 2 of control groups, as it is mounted where no group has a limit. */
const mounted = { '/sys/fs/cgroup/cgroup.controllers': 'cpu memory\n' };

const workersOn = ({
  cores = 8,
  memoryBytes = 64 * gigabyte,
  files = mounted,
  platform = 'linux',
}: Machine) => autoWorkers({ cores, memoryBytes, platform, read: (path) => files[path] });

/** As a container sees its own limits, with a namespace of its own. */
const inContainer = (cpu: string, memory = 'max') => ({
  ...mounted,
  '/proc/self/cgroup': '0::/\n',
  '/sys/fs/cgroup/cpu.max': `${cpu}\n`,
  '/sys/fs/cgroup/memory.max': `${memory}\n`,
});

test.each<[string, Machine, number]>([
  ['a machine without limits', {}, 8],
  ['Linux that shows no control groups, where a limit could not be seen', { files: {} }, 1],
  ['a system that has no control groups', { files: {}, platform: 'darwin' }, 8],
  ['a process that is pinned to two cores', { cores: 2 }, 2],
  ['four CPUs', { files: inContainer('400000 100000') }, 4],
  ['one CPU and a half', { files: inContainer('150000 100000') }, 1],
  ['half a CPU', { files: inContainer('50000 100000') }, 1],
  ['no limit for CPU', { files: inContainer('max 100000') }, 8],
  ['more CPUs than cores', { files: inContainer('1600000 100000') }, 8],
  ['256 MB', { files: inContainer('max 100000', String(256 * 2 ** 20)) }, 1],
  ['512 MB', { files: inContainer('max 100000', String(512 * 2 ** 20)) }, 3],
  ['less memory than one takes', { files: inContainer('max 100000', String(64 * 2 ** 20)) }, 1],
  ['a small machine', { memoryBytes: gigabyte / 2 }, 3],
  [
    'a service of systemd, whose limit is on a group above it',
    {
      files: {
        ...mounted,
        '/proc/self/cgroup': '0::/system.slice/form-relay.service\n',
        '/sys/fs/cgroup/system.slice/cpu.max': '200000 100000\n',
        '/sys/fs/cgroup/system.slice/form-relay.service/cpu.max': 'max 100000\n',
      },
    },
    2,
  ],
  [
    'version 1 of control groups',
    {
      files: {
        '/proc/self/cgroup':
          '5:memory:/docker/one\n4:cpu,cpuacct:/docker/one\n1:name=systemd:/docker/one\n0::/\n',
        '/sys/fs/cgroup/cpu/docker/one/cpu.cfs_quota_us': '300000\n',
        '/sys/fs/cgroup/cpu/docker/one/cpu.cfs_period_us': '100000\n',
        '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
        '/sys/fs/cgroup/memory/docker/one/memory.limit_in_bytes': '9223372036854771712\n',
      },
    },
    3,
  ],
  [
    'version 1 without a limit, seen from inside',
    {
      files: {
        '/proc/self/cgroup': '4:cpu,cpuacct:/docker/one\n',
        '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      },
    },
    8,
  ],
  [
    'the memory of version 1',
    {
      files: {
        '/proc/self/cgroup': '5:memory:/docker/one\n',
        '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
        '/sys/fs/cgroup/memory/docker/one/memory.limit_in_bytes': `${320 * 2 ** 20}\n`,
      },
    },
    2,
  ],
  [
    'a hierarchy of version 1 that has no controller, before the one of version 2',
    {
      files: {
        ...mounted,
        '/proc/self/cgroup': '1:name=systemd:/a\n0::/b:c\n',
        '/sys/fs/cgroup/a/cpu.max': '100000 100000\n',
        '/sys/fs/cgroup/b:c/cpu.max': '300000 100000\n',
      },
    },
    3,
  ],
  ['files with something else in them', { files: inContainer('', 'much') }, 8],
])('%s', (_what, machine, workers) => {
  expect(workersOn(machine)).toBe(workers);
});

test('this machine, whatever it is, has at least one', () => {
  const count = autoWorkers();
  expect(count).toBeGreaterThanOrEqual(1);
  expect(count).toBeLessThanOrEqual(availableParallelism());
});
