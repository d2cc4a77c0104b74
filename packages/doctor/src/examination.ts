import type { Diagnosis } from '@form-relay/mail-dns';
import type { Setup } from '@form-relay/runtimes/setup';
import type { World } from './world.ts';

/** Looks at one side of the setup. Everything that can be expected is a diagnosis. */
export type Examine = (setup: Setup, world: World) => Promise<readonly Diagnosis[]>;

/** For one conversation with another server, within an examination's own limit. */
export const timeoutMs = 8_000;
