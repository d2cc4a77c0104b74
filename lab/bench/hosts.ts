/** Hosts of their own on one machine: network namespaces (Linux, as root), joined by veth pairs. */
import { execFileSync } from 'node:child_process';

export interface Host {
  readonly address: string;
  /** The relay, as seen from here. */
  readonly relayAddress: string;
  /** Put before a command, it runs the command there. */
  readonly command: readonly string[];
}

export interface Network<Name extends string> {
  /** The same for the relay's own host. */
  readonly relayCommand: readonly string[];
  readonly hosts: Readonly<Record<Name, Host>>;
  remove(): void;
}

/** A host for the relay, and others that each have a cable to it. `undefined`: this machine or its user may not make them. */
export function makeNetwork<Name extends string>(names: readonly Name[]): Network<Name> | undefined {
  const namespace = (name: string) => `hosts-${process.pid}-${name}`;
  const ip = (...words: readonly string[]) => execFileSync('ip', words, { stdio: 'ignore' });
  const command = (name: string) => ['ip', 'netns', 'exec', namespace(name)];
  const remove = () => {
    for (const name of ['relay', ...names])
      try {
        ip('netns', 'delete', namespace(name));
      } catch {}
  };
  const plug = (name: string, device: string, address: string) => {
    ip('-n', namespace(name), 'address', 'add', `${address}/24`, 'dev', device);
    ip('-n', namespace(name), 'link', 'set', device, 'up');
  };
  try {
    for (const name of ['relay', ...names]) ip('netns', 'add', namespace(name));
    const hosts = names.map((name, nth) => {
      const [relayAddress, address] = [`10.111.${nth}.1`, `10.111.${nth}.2`];
      const [near, far] = [namespace('relay'), namespace(name)];
      ip('link', 'add', name, 'netns', near, 'type', 'veth', 'peer', 'relay', 'netns', far);
      plug('relay', name, relayAddress);
      plug(name, 'relay', address);
      return [name, { address, relayAddress, command: command(name) }] as const;
    });
    return {
      relayCommand: command('relay'),
      hosts: Object.fromEntries(hosts) as unknown as Record<Name, Host>,
      remove,
    };
  } catch {
    remove();
    return undefined;
  }
}
